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
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// TakenBack is how a step was undone.
type TakenBack struct {
	Kept    string   // the ref from which its last commit stays reachable
	Reverts int      // commits that revert it, since others may have the old ones or build on them
	Also    []string // other steps that were done by the same commits
	Still   string   // an earlier commit that does the step, which is therefore done still
}

// Undo takes the last done step back: off the branch if its commit is the last one and no
// remote-tracking ref of this clone has it (the remote is not asked), else by a commit that
// reverts it. A step may have several commits: all that a person made while it was open.
func Undo(ctx context.Context, at *runner.Runner) (step *plan.Step, t TakenBack, err error) {
	s := &undoing{at, at.Checkout}
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return nil, t, err
	}
	p, err := workspace.Ready(ctx, s.Runner)
	if err != nil {
		return nil, t, err
	}
	step, done := s.lastDone()
	if step == nil {
		return nil, t, fault.New(fault.ErrNothingLeft, "no step is done that could be undone")
	}
	commit := journal.OrNone(s.Checkout.Progress.Steps[step.ID].Commit) // which may have taken the place of the event's
	taken := []string{journal.None}
	if commit != journal.None {
		if t, taken, err = s.takeBack(ctx, p.Before, step, done, commit); err != nil {
			return step, t, err
		}
	}
	before := s.Checkout.Progress
	if err := s.Checkout.Derive(ctx); err != nil {
		return step, t, err
	}
	e := journal.Event{Kind: journal.Undone, Steps: []string{step.ID}, By: journal.ByPerson, Head: commit, Kept: t.Kept}
	if st := s.Checkout.Progress.Steps[step.ID]; st.State == progress.StateDone {
		if t.Still = st.Commit; slices.Contains(taken, t.Still) { // the branch itself does not show that
			e.Kind, e.Reason, t.Still = journal.Reopened, "was undone", "" // its commit, which is named before it
			if commit == journal.None {
				e.Reason = "the step was undone; it had no commit"
			}
		}
	}
	if err := s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return plan.Tick(text, step.ID, t.Still != "")
	}}); err != nil {
		return step, t, err
	}
	if err := s.Checkout.Derive(ctx); err != nil {
		return step, t, err
	}
	for _, o := range s.Checkout.Doc.Plan.Steps {
		if o.ID != step.ID && before.Steps[o.ID].State == progress.StateDone && s.Checkout.Progress.Steps[o.ID].State != progress.StateDone {
			t.Also = append(t.Also, o.ID)
		}
	}
	return step, t, nil
}

// undoing is one undo, and the checkout in which it happens.
type undoing struct {
	Runner   *runner.Runner
	Checkout *checkout.Checkout // that of Runner
}

// lastDone returns the step with the newest done event that is still valid, and the index of that
// event.
func (s *undoing) lastDone() (*plan.Step, int) {
	for i, e := range slices.Backward(s.Checkout.Doc.Events) {
		if e.Kind != journal.Done {
			continue
		}
		for _, id := range e.Steps {
			if st := s.Checkout.Progress.Steps[id]; st.State == progress.StateDone && st.Last().Commit == e.Commit {
				step, _ := s.Checkout.Doc.Plan.Step(id)
				return step, i
			}
		}
	}
	return nil, 0
}

// takeBack removes a step's work from the branch, and returns the commits that it
// took back.
func (s *undoing) takeBack(ctx context.Context, now *worktree.Status, step *plan.Step, done int, commit string) (t TakenBack, taken []string, err error) {
	commits, err := s.commitsOf(ctx, step.ID, done, commit)
	if err != nil {
		return t, nil, err
	}
	first := commits[len(commits)-1]
	pushed, err := s.Checkout.Repo.Output(ctx, "for-each-ref", "--count=1", "--contains="+first.OID, "refs/remotes/")
	if err != nil {
		return t, nil, err
	}
	off := now.Head == commit && pushed == "" && len(first.Parents) > 0
	for _, c := range commits {
		if taken = append(taken, c.OID); len(c.Parents) > 1 && !off {
			return t, nil, &fault.Fault{Kind: fault.ErrMerged, Step: step.ID,
				Text: fmt.Sprintf("step %s was done with a merge, %.10s: which part of it is the work of the step is unknown", step.ID, c.OID)}
		}
	}
	if err := s.wouldOverwrite(ctx, now, step, commit, first); err != nil {
		return t, nil, err
	}
	if !off {
		// What hooks run may be what a session wrote, and nobody approves that here.
		sandboxed, err := s.Checkout.Config.Word("plan.hooksSandbox")
		if err != nil {
			return t, nil, err
		}
		t.Reverts, err = worktree.Revert(ctx, s.Checkout.Repo, now.Head, sandboxed == "off", taken...)
		if errors.Is(err, worktree.ErrConflict) {
			err = &fault.Fault{Kind: fault.ErrBuiltOn, Step: step.ID,
				Text: fmt.Sprintf("later commits need what step %s did: reverting %.10s conflicts; nothing was changed", step.ID, commit)}
		}
		if err != nil {
			return t, nil, err
		}
	}
	if t.Kept, err = s.keepUndone(ctx, step, commits); err == nil && off {
		err = worktree.MoveBack(ctx, s.Checkout.Repo, first.Parents[0])
	}
	return t, taken, err
}

// wouldOverwrite refuses if a file that the step deleted is there again, and
// the person's own: undo would put the old one in its place.
func (s *undoing) wouldOverwrite(ctx context.Context, now *worktree.Status, step *plan.Step, last string, first git.Commit) error {
	if len(first.Parents) == 0 {
		return nil
	}
	inTheWay, err := workspace.InTheWay(ctx, s.Checkout.Repo, now, last, first.Parents[0])
	if err == nil && len(inTheWay) > 0 {
		err = &fault.Fault{Kind: fault.ErrInTheWay, Step: step.ID, Text: fmt.Sprintf("%s is not tracked, and undoing step %s would overwrite it", inTheWay[0], step.ID)}
	}
	return err
}

// keepUndone keeps a step's commits, newest first, under a ref: the one, or a
// commit that joins all of them, whose change against its first parent is theirs.
func (s *undoing) keepUndone(ctx context.Context, step *plan.Step, commits []git.Commit) (string, error) {
	last, first := commits[0], commits[len(commits)-1]
	if len(commits) == 1 || len(first.Parents) == 0 {
		return checkout.KeepCommit(ctx, s.Runner.Checkout, last.OID, step.ID)
	}
	return checkout.KeepAttempt(ctx, s.Runner.Checkout, last.Tree, []string{first.Parents[0], last.OID}, step.ID,
		fmt.Sprintf("undone: %d commits, the last is %s", len(commits), last.Subject()))
}

const maxCommits = 200 // of one step

// commitsOf returns a step's commits, newest first, of which last is the newest: those right
// below it that name the step, and those without a name that were made between its start and the
// done event, including merges.
func (s *undoing) commitsOf(ctx context.Context, id string, done int, last string) ([]git.Commit, error) {
	all, err := s.Checkout.Repo.Log(ctx, "--first-parent", fmt.Sprintf("--max-count=%d", maxCommits), last)
	if err != nil {
		return nil, err
	}
	made := s.madeFor(ctx, id, done, last)
	n := 1
	for n < len(all) && (made(all[n]) || checkout.NamesStep(all[n].Message, s.Checkout.Doc.ID, id)) {
		n++
	}
	return all[:n], nil
}

// madeFor recognises the commits without a step's name that were made between the start
// of a step and its done event. A rebase gives them other names: if last is none
// of them, they are known by their messages.
func (s *undoing) madeFor(ctx context.Context, id string, done int, last string) func(git.Commit) bool {
	var since []git.Commit
	e := s.Checkout.Doc.Events[done]
	for _, began := range slices.Backward(s.Checkout.Doc.Events[:done]) {
		if began.Kind == journal.Started && slices.Contains(began.Steps, id) {
			made := began.Head + ".." + e.Head
			if began.Head == journal.None {
				made = e.Head
			}
			since, _ = s.Checkout.Repo.Log(ctx, made) // none of commits that are gone since
			break
		}
	}
	name := func(c git.Commit) string { return c.OID }
	if !slices.ContainsFunc(since, func(c git.Commit) bool { return c.OID == last }) {
		name = func(c git.Commit) string { return c.Message }
	}
	return func(c git.Commit) bool {
		return len(journal.NamedPlans(c.Message)) == 0 && slices.ContainsFunc(since, func(m git.Commit) bool { return name(m) == name(c) })
	}
}
