package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Undone is how a step was undone.
type Undone struct {
	Kept    string // the ref from which its last commit stays reachable
	Reverts int    // commits that revert it, since others may have the old ones or build on them
}

// Undo takes the last done step back, with all commits that a person made while it was open: off the branch if they are
// the last and no remote-tracking ref has them, else by commits that revert them.
func (s *Steps) Undo(ctx context.Context) (step *plan.Step, t Undone, err error) {
	c := s.Checkout
	if err := c.RequirePlace(ctx); err != nil {
		return nil, t, err
	}
	p, err := workspace.Ready(ctx, s.Runner)
	if err != nil {
		return nil, t, err
	}
	step, done := lastDone(c)
	if step == nil {
		return nil, t, fault.New(fault.ErrNothingLeft, "no step is done that could be undone")
	}
	commit := journal.OrNone(c.Progress.Steps[step.ID].Commit) // a rewrite may have replaced the commit that the event names
	if commit != journal.None {
		if t, err = s.takeBack(ctx, p.Before, step, done, commit); err != nil {
			return step, t, err
		}
	}
	of := func(e journal.Event) bool { return e.Kind == journal.Started && e.Step() == step.ID }
	began := max(0, slices.IndexFunc(c.Doc.Events, of)) // a step that was done elsewhere has no such event
	p.Files.TakeBuilt("the undone step", p.Before.Ignored, c.Doc.Events[began].Time)
	if err := c.Derive(ctx); err != nil {
		return step, t, err
	}
	e := journal.Event{Kind: journal.Undone, Steps: []string{step.ID}, By: journal.ByPerson, Head: commit, Kept: t.Kept}
	if c.Progress.Steps[step.ID].State == progress.StateDone { // the branch itself does not show that it is undone
		e.Kind, e.Reason = journal.Reopened, "was undone"
	}
	return step, t, c.Apply(ctx, journal.Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return plan.Tick(text, step.ID, false)
	}})
}

// lastDone returns the step with the newest done event that is still valid, and the event's index.
func lastDone(c *checkout.Checkout) (*plan.Step, int) {
	for i, e := range slices.Backward(c.Doc.Events) {
		if e.Kind != journal.Done {
			continue
		}
		for _, id := range e.Steps {
			if st := c.Progress.Steps[id]; st.State == progress.StateDone && st.Last().Commit == e.Commit {
				step, _ := c.Doc.Plan.Step(id)
				return step, i
			}
		}
	}
	return nil, 0
}

func (s *Steps) takeBack(ctx context.Context, now *worktree.Status, step *plan.Step, done int,
	commit string) (t Undone, err error) {
	r := s.Checkout.Repo
	commits, err := commitsOf(ctx, s.Checkout, step.ID, done, commit)
	if err != nil {
		return t, err
	}
	first := commits[len(commits)-1]
	pushed, err := r.Output(ctx, "for-each-ref", "--count=1", "--contains="+first.OID, "refs/remotes/")
	if err != nil {
		return t, err
	}
	off := now.Head == commit && pushed == "" && len(first.Parents) > 0
	var oids []string
	for _, c := range commits {
		if oids = append(oids, c.OID); len(c.Parents) > 1 && !off {
			return t, fault.AtStep(fault.ErrMerged, step.ID,
				"step %s was done with a merge, %.10s: git plan cannot tell which part of it is the work of the step", step.ID, c.OID)
		}
	}
	if len(first.Parents) > 0 { // a file that the step deleted may be there again, untracked
		if files, err := workspace.InTheWay(ctx, r, now, commit, first.Parents[0]); err != nil {
			return t, err
		} else if len(files) > 0 {
			return t, fault.AtStep(fault.ErrInTheWay, step.ID,
				"%s is not tracked, and undoing step %s would overwrite it", files[0], step.ID)
		}
	}
	if !off {
		// What hooks run may have been written by a session, and is not approved here.
		sandboxed, _ := s.Checkout.Config.Word("plan.hooksSandbox") // an invalid value is on
		t.Reverts, err = worktree.Revert(ctx, r, now.Head, sandboxed == "off", oids...)
		if errors.Is(err, worktree.ErrConflict) {
			err = fault.AtStep(fault.ErrBuiltOn, step.ID,
				"later commits need what step %s did: reverting %.10s conflicts; nothing was changed", step.ID, commit)
		}
		if err != nil {
			return t, err
		}
	}
	if last := commits[0]; len(commits) == 1 || len(first.Parents) == 0 {
		t.Kept, err = s.Checkout.Attempts().KeepCommit(ctx, last.OID, step.ID)
	} else { // a commit whose change is that of all
		t.Kept, err = s.Checkout.Attempts().Keep(ctx, last.Tree, []string{first.Parents[0], last.OID}, step.ID,
			checkout.Ending{Reason: fmt.Sprintf("undone: %d commits, the last is %s", len(commits), last.Subject())})
	}
	if err == nil && off {
		err = worktree.MoveBack(ctx, r, first.Parents[0])
	}
	return t, err
}

// commitsOf returns a step's commits from last on: those that name it, and nameless ones of its time.
func commitsOf(ctx context.Context, c *checkout.Checkout, id string, done int, last string) ([]git.Commit, error) {
	r, events := c.Repo, c.Doc.Events
	all, err := r.Log(ctx, "--first-parent", "--max-count=200", last) // more than a step has
	if err != nil {
		return nil, err
	}
	since := map[string]bool{}
	for _, began := range slices.Backward(events[:done]) {
		if began.Kind != journal.Started || !slices.Contains(began.Steps, id) {
			continue
		}
		made := events[done].Head
		if began.Head != journal.None {
			made = began.Head + ".." + made
		}
		list, _ := r.Log(ctx, made) // they may be gone
		for _, made := range list {
			since[made.OID] = true
		}
		break
	}
	n := 1
	for n < len(all) && (slices.Contains(journal.NamedSteps(all[n].Message), c.Doc.ID+"/"+id) ||
		since[all[n].OID] && len(journal.NamedSteps(all[n].Message)) == 0) {
		n++
	}
	return all[:n], nil
}
