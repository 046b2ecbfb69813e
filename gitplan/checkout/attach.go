package checkout

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Attach binds a plan to the branch by a configuration key, which git renames and deletes with the branch.
// ErrUnfinished, see unsettled.
func (c *Checkout) Attach(ctx context.Context, id string) error {
	if own, _ := c.PlanID(ctx); own != id {
		if err := unsettled(ctx, c); err != nil {
			return err
		}
	}
	err := c.Repo.SetConfig(ctx, integrity.PlanKey(c.Branch), id)
	if err == nil {
		journal.MarkAttached.Set(c.Repo, id)
	}
	return err
}

// unsettled refuses to take the plan of the branch from it (ErrUnfinished) while only its next step brings back what a
// session left, or what --autostash set aside.
func unsettled(ctx context.Context, c *Checkout) error {
	own, _ := c.PlanID(ctx)
	if s := Unfinished(c.Repo, own); s.Session != "" && s.Branch == c.Branch {
		return s.interrupted()
	}
	if s := Stashed(c, own); s.Kept != "" {
		return fault.New(fault.ErrUnfinished, "your changes, which --autostash set aside, are not back in the tree: they are kept as %s", s.Kept)
	}
	return nil
}

// claim refuses a plan that is another branch's (ErrCopied). After a rename the next event has the new name.
func claim(ctx context.Context, c *Checkout, d *journal.Document) error {
	copied, err := c.Copied(ctx, d, c.Branch)
	switch of := d.Plan.Branch; {
	case err != nil:
		return err
	case copied:
		return fault.New(fault.ErrCopied, "branch %s is a copy of %s, to which plan %s belongs", c.Branch, of, d.ID)
	case of != c.Branch && of != "":
		d.Renamed = c.Branch
	}
	return nil
}

// Copied reports whether git copied a plan's key to the branch from its own; a rename takes the key along.
func (c *Checkout) Copied(ctx context.Context, d *journal.Document, branch string) (bool, error) {
	of := d.Plan.Branch
	if id, ok := c.Config.Get(integrity.PlanKey(of)); of == "" || of == branch || !ok || id != d.ID {
		return false, nil
	}
	_, err := c.Repo.Resolve(ctx, "refs/heads/"+of)
	if errors.Is(err, git.ErrMissing) {
		return false, nil
	}
	return err == nil, err
}

// RequireNoPlan refuses a branch that has a plan of its own (ErrPlanExists), which another would leave without a branch.
func (c *Checkout) RequireNoPlan(ctx context.Context) error {
	own, ok := c.PlanID(ctx)
	if !ok {
		return nil
	}
	doc, err := c.Store.Load(ctx, own)
	if err != nil || claim(ctx, c, doc) != nil { // it is another branch's
		return err
	}
	return fault.New(fault.ErrPlanExists, "branch %s already has plan %s", c.Branch, own)
}

// RequireOwnPlan refuses a plan that is another branch's (ErrCopied), and a protected branch (ErrProtected).
func (c *Checkout) RequireOwnPlan(ctx context.Context, d *journal.Document) error {
	if err := claim(ctx, c, d); err != nil {
		return fault.New(fault.ErrCopied, "plan %s belongs to branch %s", d.ID, d.Plan.Branch)
	}
	return unprotected(ctx, c, d)
}

// Drop removes a plan and the keys that bind it, and returns its last commit. ErrPlanGone, ErrBusy, ErrUnfinished.
func (c *Checkout) Drop(ctx context.Context, id string) (tip string, err error) {
	if tip, err = c.Repo.Resolve(ctx, journal.RefPrefix+id); errors.Is(err, git.ErrMissing) { // before a lock is left for it
		return "", fault.New(fault.ErrPlanGone, "there is no plan %s in this repository", id)
	}
	if err != nil {
		return "", err
	}
	lock, err := journal.Acquire(c.Repo, id, "drop")
	if err != nil {
		return "", err
	}
	defer lock.Release()
	if s := Unfinished(c.Repo, id); s.Session != "" {
		return "", s.interrupted()
	}
	if err := c.Repo.DeleteRef(ctx, journal.RefPrefix+id, tip, "plan: dropped"); err != nil {
		return "", err
	}
	for _, slot := range append(Slots(c.Repo, id), "") {
		forgetTask(c.Repo, TaskNote(c.Repo, id, slot))
		if top, gitDir, err := ClonePath(c.Repo, id, slot); err == nil { // half made
			_, _ = disk.RemoveTree(gitDir), disk.RemoveTree(filepath.Dir(top))
		}
	}
	journal.MarkOpen.Clear(c.Repo, id)
	journal.MarkAttached.Clear(c.Repo, id)
	integrity.Forget(c.Repo, id, "")
	for branch, own := range c.Attached() {
		if own == id {
			err = errors.Join(err, c.Repo.UnsetConfig(ctx, integrity.PlanKey(branch)))
		}
	}
	return tip, err
}

// Fork gives this branch a copy of a plan, by default of the one whose key git copied with the branch; done steps
// and an approval are kept. ErrNoPlan, ErrProtected.
func (c *Checkout) Fork(ctx context.Context, id string) (*journal.Document, error) {
	if own, ok := c.PlanID(ctx); id == "" && ok {
		id = own
	}
	if id == "" {
		return nil, fault.New(fault.ErrNoPlan, "branch %s has no plan to fork", c.Branch)
	}
	old, err := c.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := unprotected(ctx, c, old); err != nil {
		return nil, err
	}
	c.Doc = old
	if err := c.Derive(ctx); err != nil {
		return nil, err
	}
	if len(c.UnverifiedEvents()) > 0 { // as the fork's own they would count
		return nil, c.RequireApproval()
	}
	fork, err := c.Store.Create(ctx, old.Plan.Source, c.Branch, old.Plan.Base, journal.Event{Start: old.Start(), Head: old.Start(), By: journal.ByPerson})
	if err != nil {
		return nil, err
	}
	for _, step := range fork.Plan.Steps {
		st := c.Progress.Steps[step.ID]
		if st.State != progress.StateDone {
			continue
		}
		last := st.Last()
		e := journal.Event{Kind: journal.Done, Steps: []string{step.ID}, Head: journal.OrNone(st.Commit), Attempt: last.Attempt, By: last.By, Agent: last.Agent, Summary: st.Summary}
		if err := c.Store.Apply(ctx, fork, c.Branch, journal.Change{Event: e}); err != nil {
			return nil, err
		}
	}
	if ok, err := integrity.IsApproved(c.Repo, old.ID, old.Plan); err == nil && ok {
		if err := integrity.Approve(c.Repo, fork.ID, fork.Plan.Source); err != nil {
			return nil, err
		}
	}
	return fork, c.Attach(ctx, fork.ID)
}
