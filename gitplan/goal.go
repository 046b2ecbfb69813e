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
	if err != nil || len(all) == 0 || Unmet(all) != "" {
		return all, err
	}
	return all, s.recordMeasured(ctx, all)
}

// MeasureFirst records once how Done when ends before any work, and says which commands prove nothing since they pass.
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
			s.note("Done when: `" + m.Command + "` passes before any work, so it proves only that it still does")
		}
	}
	return err
}

func (s *Steps) recordMeasured(ctx context.Context, all []journal.Measured) error {
	noteGoal(s, all, "")
	return s.apply(ctx, journal.Event{Kind: journal.Checked, Head: journal.None, By: journal.ByAgent, Measured: all})
}

// MeasureLast returns how Done when ends, so that others may be planned, if why is that the steps that are left wait
// for approval. If all pass it is ErrNotNeeded: a person decides whether these steps are wanted for their own sake.
func MeasureLast(ctx context.Context, s *Steps, why error) ([]journal.Measured, error) {
	waits, err := s.Checkout.NotApproved()
	if err != nil || !s.Pursues() || !errors.Is(why, fault.ErrUnapproved) || len(waits.Steps) == 0 {
		return nil, why
	}
	all, err := MeasureGoal(ctx, s)
	if err != nil || len(all) == 0 {
		return nil, errors.Join(err, why)
	}
	if Unmet(all) != "" {
		return all, nil
	}
	return nil, &fault.Fault{Kind: fault.ErrNotNeeded, Step: waits.Steps[0],
		Text: why.Error() + "; the goal is reached without that: all of Done when holds"}
}

// StillWaits returns why, which ended a run, if nothing else could be planned besides what waits for approval.
func StillWaits(why, planned error) error {
	nothing := []error{fault.ErrNoProgress, fault.ErrBounds, fault.ErrUnapproved, fault.ErrPlanner}
	if slices.ContainsFunc(nothing, func(kind error) bool { return errors.Is(planned, kind) }) {
		return why
	}
	return planned
}

func noteGoal(s *Steps, measured []journal.Measured, text string) {
	goal := progress.Standing(progress.Courses(append(slices.Clone(s.Checkout.Doc.Events), journal.Event{Measured: measured})))
	text = strings.Trim(goal+"; "+text, "; ")
	s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: text, Goal: goal})
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

// PlanAgain has a planner write the next steps toward the goal of a plan with Bounds, approves what lies within these,
// and returns the text before. If measured is nil, it runs Done when. ErrNoProgress, ErrBounds: nothing is planned.
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
	if n, most := s.Checkout.Doc.Plan.Budgeted(), old.Bounds.Budget.Steps; most > 0 && n >= most {
		over = fault.New(fault.ErrBounds, "the plan has %d steps, as many as its Bounds allow: %s", n, why)
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
	s.note(fmt.Sprintf("planning %d: %s", e.Attempt, why))
	noteGoal(s, measured, "used: "+progress.Used(s.Checkout.Doc.Plan, s.Checkout.Doc.Events))
	p := prompt.Planning{Within: true, Reached: goalReport(s.Checkout, e, findings)}
	was := s.Checkout.Doc.Plan
	p.Outside = func(text []byte) (out []string, err error) {
		now, err := plan.Parse(text)
		if err != nil {
			return nil, err
		}
		_, outside, err := withinBounds(ctx, s, now, old)
		if outside == nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(outside)) {
			step, _ := now.Step(id)
			if before, ok := was.Step(id); !ok || before.Approved() != step.Approved() { // else it waits already
				out = append(out, "step "+id+" "+outside[id])
			}
		}
		return out, nil
	}
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
	_, waits := s.Checkout.NotApproved()
	if err = cmp.Or(err, waits); err != nil {
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

// withinBounds is planner.WithinBounds of what this plan is measured by. An error with nothing outside stops the run.
func withinBounds(ctx context.Context, s *Steps, now, signed *plan.Plan) (text []byte, outside map[string]string, err error) {
	var files []string
	for _, step := range now.Steps {
		files = append(files, step.Files...)
	}
	attempts, wrong := s.Checkout.Config.Int("plan.attempts")
	measuring, err := s.Measuring(ctx, s.Checkout, files)
	if err = errors.Join(wrong, err); err != nil {
		return nil, nil, err
	}
	return planner.WithinBounds(now, signed, measuring, attempts)
}

// approveWithin approves the parts of a rewritten plan within the Bounds that a person signed, and names the others.
func approveWithin(ctx context.Context, s *Steps, now, signed *plan.Plan) error {
	text, outside, err := withinBounds(ctx, s, now, signed)
	for _, id := range slices.Sorted(maps.Keys(outside)) {
		n := journal.Notice{Kind: journal.StepNote, Step: id, Text: "step " + id +
			" waits for your approval: it " + visible.OneLine(outside[id], 200) + ", which is outside of the plan's Bounds"}
		if s.Checkout.Progress.Steps[id].State != progress.StateSkipped && s.Runner.Once(n.Text) {
			s.Runner.Report(n)
		}
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
	if waits, err := integrity.Waits(c.Repo, c.Doc.ID, c.Doc.Plan); err == nil && len(waits.Steps) > 0 {
		fmt.Fprintf(&b, "A person must approve step %s first, outside of the Bounds: keep it as it is, and plan others that do not need it.\n",
			strings.Join(waits.Steps, ", "))
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

// replanReason says why a plan with Bounds is planned again once a step, or the run if nil, ended with err, or "".
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
	// only blocked steps are left, none of which asks a person something
	case errors.Is(err, fault.ErrAllWait) && errors.As(err, &f) && !slices.ContainsFunc(s.Checkout.Doc.Plan.Steps, asks):
		return f.Text
	}
	return ""
}
