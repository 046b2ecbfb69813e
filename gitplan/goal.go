package gitplan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Pursues reports whether the plan may be planned again without a person, toward its goal.
func (s *Steps) Pursues() bool { return s.Checkout.Doc.Plan.Bounds != nil }

// measure runs the commands of Done when on a clean tree, in the sandbox of checks, and returns how each ended.
func measure(ctx context.Context, s *Steps) ([]journal.Measured, error) {
	if _, err := s.Checkout.NotApproved(); err != nil {
		return nil, err // these commands, too
	}
	ws, err := workspace.Ready(ctx, s.Runner)
	if err != nil {
		return nil, err
	}
	return s.Worker.Measure(ctx, ws, plan.Commands(s.Checkout.Doc.Plan.Verification))
}

// MeasureGoal returns how the commands of Done when end, and records that if all pass; else Unmet says which do not.
func MeasureGoal(ctx context.Context, s *Steps) ([]journal.Measured, error) {
	all, err := measure(ctx, s)
	if err != nil || Unmet(all) != "" {
		return all, err
	}
	return all, s.recordMeasured(ctx, all)
}

// MeasureFirst records how the commands of Done when end before any work toward the goal, once, and says which of them
// prove nothing since they pass already.
func MeasureFirst(ctx context.Context, s *Steps) error {
	if !s.Pursues() || len(progress.Courses(s.Checkout.Doc.Events)) > 0 {
		return nil
	}
	all, err := measure(ctx, s)
	if errors.Is(err, fault.ErrDirty) {
		return nil // the step says so, with what a person may do
	}
	if err != nil || len(all) == 0 {
		return err
	}
	err = s.recordMeasured(ctx, all)
	for _, m := range all {
		if m.Passed {
			s.Runner.Report(journal.Notice{Kind: journal.StepNote,
				Text: "Done when: `" + m.Command + "` passes before any work, so it proves only that it still does"})
		}
	}
	return err
}

// recordMeasured records and notes how commands of Done when ended, outside of a planning.
func (s *Steps) recordMeasured(ctx context.Context, all []journal.Measured) error {
	noteGoal(s, "", all, "")
	return s.apply(ctx, journal.Event{Kind: journal.Checked, Head: journal.None, By: journal.ByAgent, Measured: all})
}

// MeasureLast records how the commands of Done when end if why ends a run since the steps that are left wait for approval.
// If all pass, the error is ErrNotNeeded: a person decides, since some of these steps may be the person's own.
func MeasureLast(ctx context.Context, s *Steps, why error) error {
	waits, err := s.Checkout.NotApproved()
	if err != nil || !s.Pursues() || !errors.Is(why, fault.ErrUnapproved) || len(waits.Steps) == 0 {
		return why
	}
	all, err := measure(ctx, s)
	if err != nil || len(all) == 0 {
		return errors.Join(err, why)
	}
	if Unmet(all) == "" {
		why = &fault.Fault{Kind: fault.ErrNotNeeded, Step: waits.Steps[0],
			Text: "the goal is reached: all of Done when holds; " + why.Error()}
	}
	if err = s.recordMeasured(ctx, all); err != nil {
		return err
	}
	return why
}

// noteGoal notes how far the goal is by these measurements, between two texts.
func noteGoal(s *Steps, before string, measured []journal.Measured, after string) {
	goal := progress.Standing(progress.Courses(append(slices.Clone(s.Checkout.Doc.Events), journal.Event{Measured: measured})))
	if goal == "" {
		before = strings.TrimSuffix(before, ", ")
	}
	s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: before + goal + after, Goal: goal})
}

// Unmet says in a line which commands of Done when do not pass; "" if all do.
func Unmet(all []journal.Measured) string {
	var out []string
	for _, m := range all {
		if limit, limited := plan.LimitOf(m.Command); !m.Passed && limited && m.Number != "" {
			out = append(out, fmt.Sprintf("`%s` prints %s, not %s", plan.Unlimited(m.Command), m.Number, limit))
		} else if !m.Passed {
			out = append(out, "`"+plan.Unlimited(m.Command)+"` fails")
		}
	}
	if out == nil {
		return ""
	}
	return visible.OneLine("Done when does not hold: "+strings.Join(out, "; "), 400)
}

// PlanAgain has a planner write the next steps toward the goal of a plan with Bounds, and approves what lies within
// these; the rest waits for a person. why is what happened, and measured how Done when ended, nil if that is to be
// found out. It returns the text before. ErrNoProgress and ErrBounds are why it is not planned again.
func PlanAgain(ctx context.Context, s *Steps, why, findings string, measured []journal.Measured) (before []byte, err error) {
	const mostStalled = 3 // plannings in a row that bring no command of Done when nearer, before a person is asked
	old, err := approved(s)
	if err != nil {
		return nil, err
	}
	if measured == nil {
		if measured, err = measure(ctx, s); err != nil {
			return nil, err
		}
	}
	e := journal.Event{Kind: journal.Planned, By: journal.ByAgent, Attempt: progress.Plannings(s.Checkout.Doc.Events) + 1,
		Reason: why, Measured: measured}
	var over error
	if most := old.Bounds.Budget.Steps; most > 0 && len(old.Steps) >= most {
		over = fault.New(fault.ErrBounds, "the plan has %d steps, as many as its Bounds allow: %s", len(old.Steps), why)
	}
	if progress.Stalled(append(slices.Clone(s.Checkout.Doc.Events), e)) > mostStalled { // this one is not made yet
		over = fault.New(fault.ErrNoProgress, "no progress in %d plannings: %s", mostStalled, why)
	}
	if over != nil {
		if err := s.recordMeasured(ctx, measured); err != nil {
			return nil, err
		}
		return nil, over
	}
	noteGoal(s, fmt.Sprintf("planning %d, ", e.Attempt), measured,
		fmt.Sprintf("; used: %s: %s", progress.Used(old, s.Checkout.Doc.Events), why))
	p := prompt.Planning{Within: true, Reached: goalReport(s.Checkout, e, findings)}
	for range 2 {
		if before, err = planner.Replan(ctx, s.Worker, e, p); err != nil {
			return before, err
		}
		if now := s.Checkout.Doc.Plan; !bytes.Equal(plan.Meaning(before), plan.Meaning(now.Source)) {
			s.Runner.Report(s.Checkout.Progress.Counted(journal.Notice{Kind: journal.StepNote,
				Text: fmt.Sprintf("planning %d: %s", e.Attempt, s.Checkout.Progress.Summary())}))
			return before, approveWithin(ctx, s, now, old)
		}
		e.Attempt, e.Reason = e.Attempt+1, "the planner wrote the same plan again"
		p.Reached += "You wrote the same plan again, which adds nothing: plan what brings the goal nearer.\n"
	}
	return before, fault.New(fault.ErrNoProgress, "the planner wrote the same plan twice: %s", why)
}

// approved returns the plan that was approved last: what the present text has besides was read by no person.
func approved(s *Steps) (*plan.Plan, error) {
	text, err := integrity.ApprovedMeaning(s.Checkout.Repo, s.Checkout.Doc.ID)
	if err != nil {
		return nil, err
	}
	if _, err := s.Checkout.NotApproved(); err != nil {
		return nil, err
	}
	return plan.Parse(text)
}

// ApprovePlanned approves what lies within Bounds of a planning after which nothing happened: a kill came before that.
func ApprovePlanned(ctx context.Context, s *Steps) error {
	if e := s.Checkout.Doc.Newest(); !s.Pursues() || e == nil || e.Kind != journal.Planned {
		return nil
	}
	old, err := approved(s)
	if err != nil {
		return err
	}
	return approveWithin(ctx, s, s.Checkout.Doc.Plan, old)
}

// approveWithin approves the parts of a rewritten plan within the Bounds that a person signed, and names the others.
func approveWithin(ctx context.Context, s *Steps, now, signed *plan.Plan) error {
	var files []string
	for _, step := range now.Steps {
		files = append(files, step.Files...)
	}
	attempts, wrong := s.Checkout.Config.Int("plan.attempts")
	measuring, err := s.Measuring(ctx, s.Checkout, files)
	if err = errors.Join(wrong, err); err != nil {
		return err
	}
	text, outside, err := planner.WithinBounds(now, signed, measuring, attempts)
	for _, id := range slices.Sorted(maps.Keys(outside)) {
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Step: id, Text: "step " + id +
			" waits for your approval: it " + visible.OneLine(outside[id], 200) + ", which is outside of the plan's Bounds"})
	}
	switch u := plan.NotApproved(now, signed); {
	case err != nil && len(outside) > 0:
		return fault.New(fault.ErrUnapproved,
			"each of the planner's steps is outside of the plan's Bounds, or needs one that is: %s", planner.Outside(outside))
	case err != nil:
		return fault.New(fault.ErrUnapproved, "the planner's steps cannot be approved one by one: %s", err.Error())
	case u.Whole != "":
		return fault.New(fault.ErrUnapproved, "the planner changed what a person signed: %s", u.Whole)
	}
	if _, err := integrity.ApproveText(s.Checkout.Repo, s.Checkout.Doc.ID, text); err != nil {
		return err
	}
	return s.apply(ctx, journal.Event{Kind: journal.Approved, Head: journal.None, By: journal.ByBounds,
		Reason: "within the Bounds of the plan"})
}

// goalReport tells a planner how far the goal is: each command of Done when, and its output after each planning.
func goalReport(c *checkout.Checkout, now journal.Event, findings string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Planning %d, since: %s\n", now.Attempt, now.Reason)
	for _, c := range progress.Courses(append(slices.Clone(c.Doc.Events), now)) {
		b.WriteString(c.String() + "\n")
	}
	for _, e := range c.Doc.Events[max(0, len(c.Doc.Events)-200):] { // older ones it keeps under Learned
		if e.Assumed != "" {
			fmt.Fprintf(&b, "The session of step %s assumed: %s\n", e.Step(), e.Assumed)
		}
	}
	for _, f := range planner.Criticised(c) {
		fmt.Fprintf(&b, "A critic found in the plan, at step %s: %s: %s\n", f.Step, f.Text, f.Fix)
	}
	if findings != "" {
		b.WriteString("Open findings of the reviewers:\n" + findings)
	}
	return b.String()
}

// replanReason says why a plan with Bounds is planned again once a step, or the run if that is nil, ended with err: a session
// proposed it, the step got stuck, or only blocked ones are left, none of which asks a person something; "" if it is not.
func (s *Steps) replanReason(step *plan.Step, err error) string {
	var f *fault.Fault
	asks := func(step plan.Step) bool {
		st := s.Checkout.Progress.Steps[step.ID]
		return st.State == progress.StateBlocked && (st.Last().By == journal.ByPerson || step.Ask && st.Last().Question)
	}
	switch {
	case !s.Pursues():
	case step != nil && err == nil && s.Checkout.Progress.Steps[step.ID].Last().Proposal != "":
		return "the session of step " + step.ID + " proposes to change the plan"
	case gotStuck(err) && errors.As(err, &f) && !errors.Is(err, fault.ErrQuestion):
		return cmp.Or(f.Text, err.Error())
	case errors.Is(err, fault.ErrAllWait) && errors.As(err, &f) && !slices.ContainsFunc(s.Checkout.Doc.Plan.Steps, asks):
		return f.Text
	}
	return ""
}
