package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Attach binds a plan to the branch, in this repository's configuration, which
// git itself renames and deletes with the branch.
func (c *Checkout) Attach(ctx context.Context, id string) error {
	err := c.Repo.SetConfig(ctx, setup.PlanKey(c.Branch), id)
	if err == nil {
		journal.MarkAttached.Set(c.Repo, id)
	}
	return err
}

// claim refuses a plan that is another branch's. After a rename of the branch the
// next write says the new name.
func (c *Checkout) claim(ctx context.Context, d *journal.Document) error {
	copied, err := c.Copied(ctx, d, c.Branch)
	switch of := d.Plan.Branch; {
	case err != nil:
		return err
	case copied:
		return fault.New(fault.ErrCopied, "branch %s is a copy of %s, whose plan %s is", visible.OneLine(c.Branch, 200), visible.OneLine(of, 200), d.ID)
	case of != c.Branch && of != "":
		d.Renamed = c.Branch
	}
	return nil
}

// Copied reports that git copied a plan's key to the branch from the one whose plan
// it is. A renamed branch took its key along, and a new branch may have its old name.
func (c *Checkout) Copied(ctx context.Context, d *journal.Document, branch string) (bool, error) {
	of := d.Plan.Branch
	if id, ok := c.Config.Get(setup.PlanKey(of)); of == "" || of == branch || !ok || id != d.ID {
		return false, nil
	}
	_, err := c.Repo.Resolve(ctx, "refs/heads/"+of)
	if errors.Is(err, git.ErrMissing) {
		return false, nil
	}
	return err == nil, err
}

// Vacant refuses a branch that has a plan of its own: one in its place would leave
// it to no branch.
func (c *Checkout) Vacant(ctx context.Context) error {
	own, ok := c.PlanID(ctx)
	if !ok {
		return nil
	}
	doc, err := c.Store.Load(ctx, own)
	if err == nil && c.claim(ctx, doc) != nil {
		return nil // it is another branch's
	}
	if err != nil {
		return err
	}
	return fault.New(fault.ErrPlanExists, "branch %s has plan %s already", visible.OneLine(c.Branch, 200), own)
}

// Belongs refuses a plan that is another branch's, or of which no step could run here.
func (c *Checkout) Belongs(ctx context.Context, d *journal.Document) error {
	if err := c.claim(ctx, d); err != nil {
		return fault.New(fault.ErrCopied, "plan %s is that of branch %s", d.ID, visible.OneLine(d.Plan.Branch, 200))
	}
	return c.unprotected(ctx, d)
}

// adopt finds the plan of a branch whose key is missing, as in a fresh clone
// after git plan fetch: one that says it is this branch's, and whose work is.
// Any other one of that name belongs to an earlier branch, and is only named.
func (c *Checkout) adopt(ctx context.Context) error {
	plans, err := ListPlans(ctx, c.Store)
	if err != nil {
		return err
	}
	none := c.noPlan(ctx, plans)
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
		} else if ours {
			return c.Attach(ctx, doc.ID)
		}
		c.Doc, c.Progress = nil, nil
		none = fault.New(fault.ErrPlanOfOld, "branch %s has no plan; plan %s belongs to an earlier branch of that name, or is merged (git plan attach %s takes it, git plan drop %s removes it)",
			visible.OneLine(c.Branch, 200), doc.ID, doc.ID, doc.ID)
	}
	return none
}

// noPlan says that the branch has none, and which ones have. A branch that somebody
// pushed may have one that was pushed too.
func (c *Checkout) noPlan(ctx context.Context, plans []Listed) error {
	const most = 3
	text, gone := fmt.Sprintf("branch %s has no plan", visible.OneLine(c.Branch, 200)), ""
	if id, ok := c.Bound(); ok {
		gone = fmt.Sprintf(" (%s, which it had, is gone)", visible.OneLine(id, 80))
	}
	if merge, _ := c.Config.Get("branch." + c.Branch + ".merge"); merge == "refs/heads/"+c.Branch {
		if base, err := c.Base(ctx, ""); err != nil || !c.OnBase(base) {
			return fault.New(fault.ErrPlanPushed, "%s here%s", text, gone)
		}
	}
	others := slices.Sorted(maps.Keys(c.withPlans(ctx, plans)))
	if len(others) == 0 {
		return fault.New(fault.ErrNoPlan, "%s%s", text, gone)
	}
	for i, name := range others[:min(len(others), most)] {
		others[i] = visible.OneLine(name, 200)
	}
	if more := len(others) - most; more > 0 {
		others = append(others[:most], fmt.Sprintf("%d more", more))
	}
	return fault.New(fault.ErrPlanElsewhere, "%s%s; these have: %s", text, gone, strings.Join(others, ", "))
}

// withPlans are the branches that have a plan: those of this clone, and those that a
// remote has and git switch makes, as after git plan fetch.
func (c *Checkout) withPlans(ctx context.Context, plans []Listed) map[string]string {
	out := c.Attached()
	maps.DeleteFunc(out, func(_, id string) bool { // gone
		return !slices.ContainsFunc(plans, func(p Listed) bool { return p.ID == id })
	})
	ids := slices.Collect(maps.Values(out))
	plans = slices.DeleteFunc(slices.Clone(plans), func(p Listed) bool { return slices.Contains(ids, p.ID) })
	if len(plans) == 0 {
		return out
	}
	remotes := c.AtRemotes(ctx)
	for _, p := range plans {
		if _, ok := remotes[p.Branch]; ok && p.Branch != c.Branch {
			out[p.Branch] = p.ID
		}
	}
	return out
}

// continues reports whether the plan is this branch's by what was done: the
// branch holds the last of it; where nothing was, it stands where the plan
// began, or a remote has it and a person's own commits alone came since. What git pull
// is still to bring, of a branch that a remote has and that no base took in, says
// nothing yet. A plan that is finished goes on nowhere, so its work must be this
// branch's own: a new branch holds what was merged before it was made.
func (c *Checkout) continues(ctx context.Context, d *journal.Document) (bool, error) {
	head, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return false, err
	}
	_, pushed := c.AtRemotes(ctx)[c.Branch]
	undone := map[string]bool{}
	for _, e := range slices.Backward(d.Events) {
		if e.Kind == journal.Undone {
			undone[e.Step()] = true
		}
		if e.Kind != journal.Done || e.Head == "" || e.Head == journal.None {
			continue
		}
		commit, err := c.held(ctx, e, head)
		switch st := c.Progress.Steps[e.Step()]; {
		case err != nil:
			return false, err
		case commit == e.Head && !c.Progress.Complete():
			return true, nil
		case commit != "":
			merged, err := c.inBase(ctx, d, commit)
			return !merged, err
		case st.Pull != "" && pushed:
			if merged, err := c.inBase(ctx, d, st.Commit); merged || err != nil {
				return false, err
			}
		case !undone[e.Step()]:
			return false, nil
		}
	}
	switch since := len(c.Walked); {
	case c.Progress.Complete():
		return false, nil
	case since == 0 || !pushed:
		return journal.OrNone(head) == d.Start(), nil
	default:
		first := c.Walked[since-1]
		merged, err := c.inBase(ctx, d, first.OID)
		return !merged && slices.Contains(first.Parents, d.Start()), err
	}
}

// held is the commit of a done event if the branch holds it, else the one that
// took its place there, by a rebase or the like; empty where none did.
func (c *Checkout) held(ctx context.Context, e journal.Event, head string) (string, error) {
	if _, err := c.Repo.Resolve(ctx, e.Head+"^{commit}"); err == nil && head != "" {
		if ok, err := c.Repo.IsAncestor(ctx, e.Head, head); ok || err != nil {
			return e.Head, err
		}
	}
	if st := c.Progress.Steps[e.Step()]; st.State == progress.StateDone && st.Commit != journal.None {
		return st.Commit, nil
	}
	return "", nil
}

// inBase reports whether a base branch has a commit: the plan's or one of those
// that are looked for where none is given, here or at a remote.
func (c *Checkout) inBase(ctx context.Context, d *journal.Document, commit string) (bool, error) {
	if _, err := c.Repo.Resolve(ctx, commit+"^{commit}"); errors.Is(err, git.ErrMissing) {
		return false, nil // so no branch of this clone has it
	}
	args := []string{"for-each-ref", "--count=1", "--format=%(refname)", "--contains=" + commit}
	refs := len(args)
	for _, name := range append(c.baseNames(ctx), d.Plan.Base) {
		name = strings.TrimPrefix(name, "origin/")
		if name != "" && name != c.Branch && !strings.Contains(name, "\x00") {
			args = append(args, "refs/heads/"+name, "refs/remotes/"+name, "refs/remotes/*/"+name)
		}
	}
	if len(args) == refs {
		return false, nil // without a pattern git means every ref
	}
	out, err := c.Repo.Output(ctx, args...)
	return out != "", err
}

// Claim takes a plan that a person attached for this branch: its text says so
// from now on, unless the branch it names is still there.
func (c *Checkout) Claim(ctx context.Context, d *journal.Document) error {
	if d.Plan.Branch == c.Branch || c.claim(ctx, d) != nil || d.Renamed == "" {
		return nil
	}
	return c.Store.Apply(ctx, d, c.Branch, journal.Change{Event: journal.Event{Kind: journal.Edited}}) // nobody changed what it means
}

// Fork gives this branch a plan of its own that begins as another one, by
// default the one that git copied with the branch: the same text, and what is
// done on the branch stays done, with the text of then in its events.
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
	was := c.Progress
	fork, err := c.Store.Create(ctx, old.Plan.Source, c.Branch, old.Plan.Base, journal.Event{Start: old.Start(), Head: old.Start(), By: journal.ByPerson})
	if err != nil {
		return nil, err
	}
	now := fork.Plan.Source
	write := func(text []byte, e journal.Event) error {
		return c.Store.Apply(ctx, fork, c.Branch, journal.Change{Event: e, Edit: func([]byte) ([]byte, error) { return text, nil }})
	}
	for _, s := range fork.Plan.Steps {
		st := was.Steps[s.ID]
		if st.State != progress.StateDone {
			continue
		}
		text, err := c.Version(ctx, st.Last.Commit) // which tells the commands that passed
		if err != nil {
			return nil, err
		}
		if bytes.Equal(plan.Meaning(text), old.Plan.Meaning()) {
			text = now
		} else if text, err = journal.AsStored(text, fork.ID, c.Branch, old.Plan.Base); err != nil {
			return nil, err
		}
		e := journal.Event{Kind: journal.Done, Steps: []string{s.ID}, Head: journal.OrNone(st.Commit), Attempt: st.Last.Attempt, By: st.Last.By, Agent: st.Last.Agent, Summary: st.Summary}
		if err := write(text, e); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(fork.Plan.Source, now) {
		if err := write(now, journal.Event{Kind: journal.Edited}); err != nil { // nobody changed what it means
			return nil, err
		}
	}
	if ok, err := setup.IsApproved(c.Repo, old.ID, old.Plan); err == nil && ok {
		if err := setup.Approve(c.Repo, fork.ID, fork.Plan.Source); err != nil {
			return nil, err
		}
	}
	return fork, c.Attach(ctx, fork.ID)
}

// Drop removes a plan and what binds it to branches, and returns its last value.
func (c *Checkout) Drop(ctx context.Context, id string) (tip string, err error) {
	lock, err := journal.Acquire(c.Repo, id, "drop")
	if err != nil {
		return "", err
	}
	defer lock.Release()
	if tip, err = c.Repo.Resolve(ctx, journal.RefPrefix+id); errors.Is(err, git.ErrMissing) {
		return "", fault.New(fault.ErrPlanGone, "there is no plan %s in this repository", id)
	}
	if err != nil {
		return "", err
	}
	if err := c.Repo.DeleteRef(ctx, journal.RefPrefix+id, tip, "plan: dropped"); err != nil {
		return "", err
	}
	journal.MarkOpen.Clear(c.Repo, id)
	journal.MarkAttached.Clear(c.Repo, id)
	setup.Forget(c.Repo, id, "")
	for branch, own := range c.Attached() {
		if own == id {
			err = errors.Join(err, c.Repo.UnsetConfig(ctx, setup.PlanKey(branch)))
		}
	}
	return tip, err
}
