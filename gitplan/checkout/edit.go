package checkout

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Revise replaces a plan's text by what a person typed; changed boxes and statuses become events. ErrTypedOver.
func (c *Checkout) Revise(ctx context.Context, typed []byte) error {
	old := c.Doc.Plan
	parsed, err := plan.Parse(typed)
	if err != nil {
		return err
	}
	text, err := journal.AsStored(typed, c.Doc.ID, c.Branch, cmp.Or(parsed.Base, old.Base))
	if err != nil {
		return err
	}
	p, err := plan.Parse(text)
	if err != nil {
		return err
	}
	if bytes.Equal(text, old.Source) {
		return nil
	}
	err = c.Apply(ctx, journal.Change{
		Event: journal.Event{Kind: journal.Edited, By: journal.ByPerson},
		Edit: func(now []byte) ([]byte, error) {
			if !bytes.Equal(now, old.Source) {
				return nil, fault.New(fault.ErrTypedOver, "the plan was changed just now by another git plan")
			}
			return text, nil
		},
	})
	if err != nil {
		return err
	}
	return c.Apply(ctx, EventsOfEdit(old, p, c.Progress)...)
}

// EventsOfEdit returns the events that changed boxes and statuses stand for; no tick does a step with other boxes.
func EventsOfEdit(old, p *plan.Plan, now *progress.Progress) (out []journal.Change) {
	add := func(kind journal.Kind, step, reason string) {
		e := journal.Event{Kind: kind, Head: journal.None, By: journal.ByPerson, Reason: reason}
		i := slices.IndexFunc(out, func(c journal.Change) bool { return c.Event.Kind == kind && c.Event.Reason == reason })
		if i < 0 {
			i, out = len(out), append(out, journal.Change{Event: e})
		}
		out[i].Event.Steps = append(out[i].Event.Steps, step)
	}
	for _, s := range p.Steps {
		before := plan.Step{}
		if b, ok := old.Step(s.ID); ok && b.ID == s.ID {
			before = *b
		}
		switch {
		case s.Status.Word != before.Status.Word && s.Status.Word != "":
			add(journal.Kind(s.Status.Word), s.ID, s.Status.Reason) // blocked, skipped, reopened
		case s.Ticked() && !before.Ticked() && now.Steps[s.ID].State == progress.StateDone:
		case s.Ticked() && !before.Ticked():
			add(journal.Done, s.ID, "")
		case !s.Box && before.Ticked(), before.Status.Word != "" && s.Status.Word == "":
			add(journal.Reopened, s.ID, "")
		}
	}
	return out
}

// SetState sets steps to skipped, blocked or reopened, all or none. ErrUnknownStep; ErrDoneAlready unless reopened.
func (c *Checkout) SetState(ctx context.Context, word, reason string, steps ...string) error {
	var changes []journal.Change
	status := plan.StepStatus{Word: word, Reason: visible.OneLine(reason, 400)}
	for _, name := range steps {
		step, ok := c.Doc.Plan.Step(name)
		if !ok {
			return c.Doc.Plan.NoStep(name)
		}
		if word != string(progress.StateReopened) && c.Progress.Steps[step.ID].State == progress.StateDone {
			return fault.AtStep(fault.ErrDoneAlready, step.ID, "step %s is done, so it cannot be %s", step.ID, word)
		}
		changes = append(changes, journal.Change{
			Event: journal.Event{Kind: journal.Kind(word), Steps: []string{step.ID}, Head: journal.None,
				By: journal.ByPerson, Reason: status.Reason},
			Edit: func(text []byte) ([]byte, error) {
				text, err := plan.SetStatus(text, step.ID, status)
				if err != nil || word != "reopened" {
					return text, err
				}
				return plan.Tick(text, step.ID, false)
			},
		})
	}
	return c.Store.Apply(ctx, c.Doc, c.Branch, changes...)
}

// RequireBlocked returns ErrNotAsked unless a step is blocked: only then does an answer help.
func (c *Checkout) RequireBlocked(step string) error {
	if st := c.Progress.Steps[step]; st.State != progress.StateBlocked {
		return &fault.Fault{Kind: fault.ErrNotAsked, Step: step,
			Text: "step " + step + " is not blocked, so there is nothing to answer: it is " + string(st.State)}
	}
	return nil
}

// Answer stores a person's answer in a blocked step, with its question, and reopens it: both or nothing.
func (c *Checkout) Answer(ctx context.Context, step, text string) error {
	if err := c.RequireBlocked(step); err != nil {
		return err
	}
	const most = 2000 // bytes, of what sessions read
	question, answer := "", visible.OneLine(text, most)
	if st := c.Progress.Steps[step]; st.Last().Question {
		question = visible.OneLine(st.Reason, most)
	}
	return c.Apply(ctx, journal.Change{
		Event: journal.Event{Kind: journal.Reopened, Steps: []string{step}, Head: journal.None, By: journal.ByPerson,
			Answers: 1, Reason: journal.AnswerPrefix + visible.OneLine(answer, 380)},
		Edit: func(text []byte) ([]byte, error) {
			text, err := plan.AddAnswer(text, step, question, answer)
			if err != nil {
				return nil, err
			}
			return plan.SetStatus(text, step, plan.StepStatus{Word: "reopened", Reason: "answered"})
		},
	})
}

// TakeFile locks a file for a person to type in, path or the next that is free (PLAN_2.md); with again one from before.
func TakeFile(path string, again bool) (free string, release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", nil, err
	}
	ext := filepath.Ext(path)
	for n, free := 2, path; ; n, free = n+1, fmt.Sprintf("%s_%d%s", strings.TrimSuffix(path, ext), n, ext) {
		if _, err := os.Lstat(free); err == nil && !again {
			continue
		}
		// The lock is a file of its own, since editors replace theirs.
		lock := flock.New(filepath.Join(filepath.Dir(free), "lock-"+filepath.Base(free)), flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		if _, gone := os.Lstat(free); err == nil && ok && (again || gone != nil) {
			return free, func() { _ = lock.Close() }, nil
		}
		if _ = lock.Close(); err != nil {
			return "", nil, err
		}
	}
}

// Attach binds a plan to the branch by a key that git renames and deletes along with it. ErrUnfinished, see unsettled.
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

// unsettled returns ErrUnfinished while only a step brings back what a session left, or what was set aside.
func unsettled(ctx context.Context, c *Checkout) error {
	own, _ := c.PlanID(ctx)
	if s := Unfinished(c.Repo, own); s.Session != "" && s.Branch == c.Branch {
		return s.interrupted()
	}
	if s := Stashed(c, own); s.Kept != "" {
		return fault.New(fault.ErrUnfinished,
			"your changes, which --autostash set aside, are not back in the tree: they are kept as %s", s.Kept)
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
	there, err := c.Repo.Lookup(ctx, "refs/heads/"+of)
	return there != "", err
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
	if tip, err = c.Repo.Lookup(ctx, journal.RefPrefix+id); err == nil && tip == "" { // before a lock is left for it
		err = fault.New(fault.ErrPlanGone, "there is no plan %s in this repository", id)
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
	for _, t := range Tasks(c.Repo, id) {
		t.Forget()
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

// Fork gives this branch a copy of a plan, by default of the one that git copied with it; done steps and approval stay.
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
	if len(c.Store.Unverified(c.Doc)) > 0 { // as the fork's own they would count
		return nil, c.RequireApproval()
	}
	fork, err := c.Store.Create(ctx, old.Plan.Source, c.Branch, old.Plan.Base,
		journal.Event{Start: old.Start(), Head: old.Start(), By: journal.ByPerson})
	if err != nil {
		return nil, err
	}
	var done []journal.Change
	for _, step := range fork.Plan.Steps {
		if st := c.Progress.Steps[step.ID]; st.State == progress.StateDone {
			last := st.Last()
			done = append(done, journal.Change{Event: journal.Event{Kind: journal.Done, Steps: []string{step.ID},
				Head: journal.OrNone(st.Commit), Attempt: last.Attempt, By: last.By, Agent: last.Agent, Summary: st.Summary,
				Weakened: last.Weakened, Unchecked: last.Unchecked}})
		}
	}
	if err := c.Store.Apply(ctx, fork, c.Branch, done...); err != nil {
		return nil, err
	}
	if ok, err := integrity.IsApproved(c.Repo, old.ID, old.Plan); err == nil && ok {
		if err := integrity.Approve(c.Repo, fork.ID, fork.Plan.Source); err != nil {
			return nil, err
		}
	}
	return fork, c.Attach(ctx, fork.ID)
}
