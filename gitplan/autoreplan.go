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

// Unblocked returns the steps that were blocked, and are open again with a new plan.
func Unblocked(c *checkout.Checkout, was *progress.Progress) (ids []string) {
	for i := range c.Doc.Plan.Steps {
		id := c.Doc.Plan.Steps[i].ID
		if was.Steps[id].State == progress.StateBlocked && c.Progress.Steps[id].State == progress.StateOpen {
			ids = append(ids, id)
		}
	}
	return ids
}

// AutoReplan has a planner rewrite the plan after a step got stuck, if plan.autoReplan says so, once for each
// step in a run. It returns the text before, nil if the plan stays, and whether the new steps can be worked on.
// A plan that goes beyond what was approved, as by asking less of a step, is ErrUnapproved.
func AutoReplan(ctx context.Context, s *Steps, step string) (before []byte, goesOn bool, err error) {
	if may, err := s.mayReplan(step); !may || err != nil {
		return nil, false, err
	}
	s.replanned[step] = true
	before, err = planner.Replan(ctx, s.Worker, journal.ByAgent, "", nil)
	var invalid *plan.ParseError
	if errors.Is(err, fault.ErrPlanner) || errors.As(err, &invalid) { // the step stays blocked, the others go on
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Step: step, Text: "the plan is as it was: " + strings.ReplaceAll(err.Error(), "\n", "; ")})
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	now := s.Checkout.Doc.Plan
	if bytes.Equal(plan.Meaning(before), plan.Meaning(now.Source)) {
		return before, false, nil
	}
	old, err := plan.Parse(before)
	if err != nil {
		return before, false, err
	}
	if what := planner.OutOfScope(now, old); what != "" {
		return before, false, &fault.Fault{Kind: fault.ErrUnapproved, Text: "the plan was rewritten after step " + step + " and " + what}
	}
	if err := integrity.Approve(s.Checkout.Repo, s.Checkout.Doc.ID, now.Source); err != nil {
		return before, false, err
	}
	return before, true, s.apply(ctx, journal.Event{Kind: journal.Approved, By: journal.ByAgent,
		Reason: "plan.autoReplan=" + s.Checkout.Config.String("plan.autoReplan") + ": within what was approved before; without asking"})
}

// Proposes reports whether plan.autoReplan has the plan rewritten because the session of a step that
// is done proposed a change.
func (s *Steps) Proposes(step string) bool {
	when, err := s.Checkout.Config.Word("plan.autoReplan")
	return err == nil && when == "proposed" && s.Checkout.Progress.Steps[step].Last().Proposal != "" && !s.Checkout.Progress.Complete()
}

// mayReplan reports whether plan.autoReplan lets a planner rewrite the plan after a step got stuck.
func (s *Steps) mayReplan(step string) (bool, error) {
	when, err := s.Checkout.Config.Word("plan.autoReplan")
	return err == nil && when != "never" && !s.replanned[step], err
}
