package checkout

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Answerable returns ErrNotAsked unless a step is blocked: only then does an answer help.
func (c *Checkout) Answerable(step string) error {
	if st := c.Progress.Steps[step]; st.State != progress.StateBlocked {
		return &fault.Fault{Kind: fault.ErrNotAsked, Step: step, Text: "step " + step + " is not blocked, so there is nothing to answer: it is " + string(st.State)}
	}
	return nil
}

// Answered is how the reason begins of a step that is open again since a person answered.
const Answered = "answered: "

// Answer stores a person's answer in a blocked step, with the question if it has one, and
// opens the step again: both or nothing.
func (c *Checkout) Answer(ctx context.Context, step, text string) error {
	if err := c.Answerable(step); err != nil {
		return err
	}
	const most = 2000 // bytes, of what sessions read
	question, answer := "", visible.OneLine(text, most)
	if st := c.Progress.Steps[step]; st.Last().Question {
		question = visible.OneLine(st.Reason, most)
	}
	err := c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{
		Event: journal.Event{Kind: journal.Reopened, Steps: []string{step}, Head: journal.None, By: journal.ByPerson, Reason: Answered + visible.OneLine(answer, 380)},
		Edit: func(text []byte) ([]byte, error) {
			text, err := plan.AddAnswer(text, step, question, answer)
			if err != nil {
				return nil, err
			}
			return plan.SetStatus(text, step, plan.StepStatus{Word: "reopened", Reason: "answered"})
		},
	})
	if err != nil {
		return err
	}
	return c.Derive(ctx)
}
