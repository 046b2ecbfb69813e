package gitplan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Attach binds a plan to the branch, in this repository's configuration, which
// git itself renames and deletes with the branch.
func (c *Checkout) Attach(ctx context.Context, id string) error {
	err := c.Repo.SetConfig(ctx, planKey(c.Branch), id)
	if err == nil {
		MarkAttached.Set(c.Repo, id)
	}
	return err
}

// claim looks whether a plan is this branch's: git copies the key with a
// branch, and renames it. On a copy the plan is the other branch's; after a
// rename the next write says the new name.
func (c *Checkout) claim(ctx context.Context, d *Document) error {
	of := d.Plan.Branch
	if of == c.Branch || of == "" {
		return nil
	}
	_, err := c.Repo.Resolve(ctx, "refs/heads/"+of)
	if id, ok := c.Config.Get(planKey(of)); errors.Is(err, git.ErrMissing) || err == nil && (!ok || id != d.ID) {
		d.renamed = c.Branch // a new branch may have the old name
		return nil
	}
	if err != nil {
		return err
	}
	return fault(ErrCopied, "branch %s is a copy of %s, whose plan %s is", oneLine(c.Branch, 200), oneLine(of, 200), d.ID)
}

// Belongs refuses a plan that is another branch's.
func (c *Checkout) Belongs(ctx context.Context, d *Document) error {
	if err := c.claim(ctx, d); err != nil {
		return fault(ErrCopied, "plan %s is that of branch %s", d.ID, oneLine(d.Plan.Branch, 200))
	}
	return nil
}

// adopt finds the plan of a branch whose key is missing, as in a fresh clone
// after git plan fetch: one that says it is this branch's, that is unfinished,
// and whose last commit is on the branch. Any other one of that name belongs to
// an earlier branch, and is only named.
func (c *Checkout) adopt(ctx context.Context) error {
	none := fault(ErrNoPlan, "branch %s has no plan", oneLine(c.Branch, 200))
	plans, err := c.Store.List(ctx)
	if err != nil {
		return err
	}
	for _, p := range plans {
		if !strings.HasPrefix(p.Subject, c.Branch+" ") {
			continue
		}
		doc, err := c.Store.Load(ctx, p.ID)
		if err != nil || doc.Plan.Branch != c.Branch {
			continue
		}
		c.Doc = doc
		if err := c.Derive(ctx); err != nil {
			return err
		}
		if ours, err := c.continues(ctx, doc); err != nil {
			return err
		} else if ours && !c.Progress.Complete() {
			return c.Attach(ctx, doc.ID)
		}
		c.Doc, c.Progress = nil, nil
		none = &Fault{Kind: ErrNoPlan, Text: fmt.Sprintf("branch %s has no plan; plan %s belongs to an earlier branch of that name (git plan attach %s takes it, git plan drop %s removes it)",
			oneLine(c.Branch, 200), doc.ID, doc.ID, doc.ID)}
	}
	return none
}

// continues reports whether the branch holds what the plan says was done last;
// where nothing was, it must stand where the plan began.
func (c *Checkout) continues(ctx context.Context, d *Document) (bool, error) {
	last := d.Start()
	done := false
	for _, e := range d.Events {
		if e.Kind == DoneStep && e.Head != "" && e.Head != None {
			last, done = e.Head, true
		}
	}
	head, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	if errors.Is(err, git.ErrMissing) {
		return last == None, nil
	}
	if err != nil || !done {
		return head == last, err
	}
	if _, err := c.Repo.Resolve(ctx, last+"^{commit}"); err != nil {
		return false, nil
	}
	return c.Repo.IsAncestor(ctx, last, head)
}

// Claim takes a plan that a person attached for this branch: its text says so
// from now on, unless the branch it names is still there.
func (c *Checkout) Claim(ctx context.Context, d *Document) error {
	if d.Plan.Branch == c.Branch || c.claim(ctx, d) != nil || d.renamed == "" {
		return nil
	}
	return c.Store.Apply(ctx, d, c.Branch, Change{Event: Event{Kind: Edited}}) // nobody changed what it means
}

// Fork gives this branch a plan of its own that begins as another one, by
// default the one that git copied with the branch: the same text, and what is
// done on the branch stays done.
func (c *Checkout) Fork(ctx context.Context, id string) (*Document, error) {
	if own, ok := c.PlanID(); id == "" && ok {
		id = own
	}
	if id == "" {
		return nil, fault(ErrNoPlan, "branch %s has no plan to fork", oneLine(c.Branch, 200))
	}
	old, err := c.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	c.Doc = old
	if err := c.Derive(ctx); err != nil {
		return nil, err
	}
	was := c.Progress
	fork, err := c.Store.Create(ctx, old.Plan.Source, c.Branch, old.Plan.Base, Event{Start: old.Start(), Head: old.Start(), By: ByPerson})
	if err != nil {
		return nil, err
	}
	for _, s := range fork.Plan.Steps {
		st := was.Steps[s.ID]
		if st.State != StateDone {
			continue
		}
		e := Event{Kind: DoneStep, Steps: []string{s.ID}, Head: orNone(st.Commit), By: st.Last.By, Agent: st.Last.Agent, Summary: st.Summary}
		if err := c.Store.Apply(ctx, fork, c.Branch, Change{Event: e}); err != nil {
			return nil, err
		}
	}
	if ok, err := IsApproved(c.Repo, old.ID, old.Plan.Source); err == nil && ok {
		if err := Approve(c.Repo, fork.ID, fork.Plan.Source); err != nil {
			return nil, err
		}
	}
	return fork, c.Attach(ctx, fork.ID)
}

// Drop removes a plan and this branch's pointer to it, and returns its last value.
func (c *Checkout) Drop(ctx context.Context, id string) (tip string, err error) {
	lock, err := Acquire(c.Repo, id, "drop")
	if err != nil {
		return "", err
	}
	defer lock.Release()
	if tip, err = c.Repo.Resolve(ctx, refPrefix+id); errors.Is(err, git.ErrMissing) {
		return "", fault(ErrPlanGone, "there is no plan %s in this repository", id)
	}
	if err != nil {
		return "", err
	}
	if err := c.Repo.DeleteRef(ctx, refPrefix+id, tip, "plan: dropped"); err != nil {
		return "", err
	}
	MarkOpen.Clear(c.Repo, id)
	MarkAttached.Clear(c.Repo, id)
	if own, ok := c.PlanID(); ok && own == id {
		err = c.Repo.UnsetConfig(ctx, planKey(c.Branch))
	}
	return tip, err
}
