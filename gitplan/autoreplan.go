package gitplan

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Replanned is a plan that a planner has changed.
type Replanned struct {
	Before []byte             // its text until then; nil if no planner gave a usable one
	Stood  *progress.Progress // the state of its steps until then
}

// Freed returns the steps that were blocked, and are open again with the new plan.
func (r Replanned) Freed(c *checkout.Checkout) (ids []string) {
	for i := range c.Doc.Plan.Steps {
		id := c.Doc.Plan.Steps[i].ID
		if r.Stood.Steps[id].State == progress.StateBlocked && c.Progress.Steps[id].State == progress.StateOpen {
			ids = append(ids, id)
		}
	}
	return ids
}

// AutoReplan has a planner write the plan again after a step got stuck, if plan.autoReplan says
// so, once for each step in a run; goesOn says that the steps of the new plan can be worked on.
// With that key the work goes on as long as the new plan stays within what was approved: a
// planner must not make a step pass by asking less of it. If it does not, a person has to look
// (ErrUnapproved).
func AutoReplan(ctx context.Context, s *Steps, step string) (r Replanned, goesOn bool, err error) {
	again, err := s.MayReplan(step)
	if !again || err != nil {
		return r, false, err
	}
	stood := s.Checkout.Progress
	before, err := planner.Replan(ctx, s.Worker, journal.ByAgent, "", nil)
	var unfit *plan.ParseError
	if errors.Is(err, fault.ErrPlanner) || errors.As(err, &unfit) { // the step stays blocked, the others go on
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Step: step, Text: "the plan is as it was: " + strings.ReplaceAll(err.Error(), "\n", "; ")})
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	r = Replanned{Before: before, Stood: stood}
	if bytes.Equal(plan.Meaning(before), plan.Meaning(s.Checkout.Doc.Plan.Source)) {
		return r, false, nil
	}
	old, err := plan.Parse(before)
	if err != nil {
		return r, false, err
	}
	if what := planner.OutOfScope(s.Checkout.Doc.Plan, old); what != "" {
		return r, false, &fault.Fault{Kind: fault.ErrUnapproved, Text: "the plan was rewritten after step " + step + " and " + what}
	}
	if err := integrity.Approve(s.Checkout.Repo, s.Checkout.Doc.ID, s.Checkout.Doc.Plan.Source); err != nil {
		return r, false, err
	}
	when, _ := s.Checkout.Config.Word("plan.autoReplan")
	return r, true, s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: journal.Event{Kind: journal.Approved, By: journal.ByAgent,
		Reason: "plan.autoReplan=" + when + ": within what was approved before; nobody was asked"}})
}

// Proposes reports whether plan.autoReplan has the plan written again because the session of a
// step that is done proposed a change.
func (s *Steps) Proposes(step string) bool {
	when, err := s.Checkout.Config.Word("plan.autoReplan")
	return err == nil && when == "proposed" && s.Checkout.Progress.Steps[step].Last().Proposal != "" && !s.Checkout.Progress.Complete()
}

// MayReplan reports whether plan.autoReplan lets a planner write the plan again
// after a step got stuck: once for each step.
func (s *Steps) MayReplan(step string) (bool, error) {
	may, err := s.wouldReplan(step)
	if may {
		if s.replanned == nil {
			s.replanned = map[string]bool{}
		}
		s.replanned[step] = true
	}
	return may, err
}

// wouldReplan is MayReplan without counting this time.
func (s *Steps) wouldReplan(step string) (bool, error) {
	when, err := s.Checkout.Config.Word("plan.autoReplan")
	return err == nil && when != "never" && !s.replanned[step], err
}
