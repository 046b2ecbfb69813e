package planner

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Split is Replan for one step, which becomes two or more; all others stay word for word. The
// planner reads what is weak in the step, and how the sessions at it ended.
func Split(ctx context.Context, w *work.Worker, step *plan.Step, feedback string, ask func([]agent.Question) ([]string, error)) (before []byte, err error) {
	if st := w.Progress.Steps[step.ID].State; st == progress.StateDone || st == progress.StateSkipped {
		return nil, &fault.Fault{Kind: fault.ErrNothingLeft, Step: step.ID, Text: fmt.Sprintf("step %s is %s: there is nothing to split", step.ID, st)}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Step %s is too much for one session. Make two or more steps of it, each with a Check of its own. The last of them keeps the id #%[1]s, since other steps may need it. Leave every other step as it is.\n", step.ID)
	found, err := lint.Plan(ctx, w.Checkout, w.Doc.Plan.Source)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.Step == step.ID {
			fmt.Fprintf(&b, "It is weak: %s\n", f.Text)
		}
	}
	return rewrite(ctx, w, journal.ByPerson, feedback, prompt.Planning{Ask: ask, Split: step.ID, Stuck: b.String() + "\n" + stuckAt(w, "A person says", feedback)})
}

// splits says why a planner's text is not the plan with one step split and all others kept; split
// is "" if no step is to be split.
func splits(old *plan.Plan, split string, text []byte) error {
	if split == "" {
		return nil
	}
	p, err := plan.Parse(text)
	if err != nil {
		return err
	}
	for i := range old.Steps {
		id := old.Steps[i].ID
		if s, ok := p.Step(id); ok && s.ID == id {
			continue
		}
		if id == split {
			return fmt.Errorf("the last part of step %s must keep its id: {#%[1]s}", id)
		}
		return fmt.Errorf("step %s is missing: only step %s is to be split", id, split)
	}
	if len(p.Steps) <= len(old.Steps) {
		return fmt.Errorf("step %s is not split: make two or more steps of it", split)
	}
	return nil
}

// splitUp returns the old plan with the parts of a step in its place. Nothing else is taken from
// the new text.
func splitUp(old *plan.Plan, split string, text []byte) ([]byte, error) {
	was, is, err := outlined(old, text)
	if err != nil {
		return nil, err
	}
	var parts []share.Piece
	for _, p := range is.Body {
		if _, known := was.Named[p.Name]; p.Step != nil && (!known || p.Step.ID == split) {
			parts = append(parts, p)
		}
	}
	var body []share.Piece
	for _, p := range was.Body {
		if p.Step != nil && p.Step.ID == split {
			body = append(body, parts...)
			continue
		}
		body = append(body, p)
	}
	return together(was, is, body)
}
