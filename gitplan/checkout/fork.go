package checkout

import (
	"bytes"
	"context"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Fork gives this branch a plan of its own that begins as a copy of another, by default of
// the one whose key git copied with the branch. What is done on the branch stays done, and
// an approval stays valid. ErrNoPlan if there is nothing to copy, ErrProtected on a branch on
// which no step may run.
func (c *Checkout) Fork(ctx context.Context, id string) (*journal.Document, error) {
	if own, ok := c.PlanID(ctx); id == "" && ok {
		id = own
	}
	if id == "" {
		return nil, fault.New(fault.ErrNoPlan, "branch %s has no plan to fork", visible.OneLine(c.Branch, 200))
	}
	old, err := c.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := c.unprotected(ctx, old); err != nil {
		return nil, err
	}
	c.Doc = old
	if err := c.Derive(ctx); err != nil {
		return nil, err
	}
	fork, err := c.Store.Create(ctx, old.Plan.Source, c.Branch, old.Plan.Base, journal.Event{Start: old.Start(), Head: old.Start(), By: journal.ByPerson})
	if err != nil {
		return nil, err
	}
	if err := c.copyDone(ctx, fork); err != nil {
		return nil, err
	}
	if ok, err := setup.IsApproved(c.Repo, old.ID, old.Plan); err == nil && ok {
		if err := setup.Approve(c.Repo, fork.ID, fork.Plan.Source); err != nil {
			return nil, err
		}
	}
	return fork, c.Attach(ctx, fork.ID)
}

// copyDone writes a done event into the fork for each step that is done, with the text that
// the plan had then: that names the commands that passed.
func (c *Checkout) copyDone(ctx context.Context, fork *journal.Document) error {
	now := fork.Plan.Source
	write := func(text []byte, e journal.Event) error {
		return c.Store.Apply(ctx, fork, c.Branch, journal.Change{Event: e, Edit: func([]byte) ([]byte, error) { return text, nil }})
	}
	for _, s := range fork.Plan.Steps {
		st := c.Progress.Steps[s.ID]
		if st.State != progress.StateDone {
			continue
		}
		text, err := c.Version(ctx, st.Last().Commit)
		if err != nil {
			return err
		}
		if bytes.Equal(plan.Meaning(text), c.Doc.Plan.Meaning()) {
			text = now
		} else if text, err = journal.AsStored(text, fork.ID, c.Branch, c.Doc.Plan.Base); err != nil {
			return err
		}
		e := journal.Event{Kind: journal.Done, Steps: []string{s.ID}, Head: journal.OrNone(st.Commit), Attempt: st.Last().Attempt, By: st.Last().By, Agent: st.Last().Agent, Summary: st.Summary}
		if err := write(text, e); err != nil {
			return err
		}
	}
	if bytes.Equal(fork.Plan.Source, now) {
		return nil
	}
	return write(now, journal.Event{Kind: journal.Edited}) // without By: nobody changed what it means
}
