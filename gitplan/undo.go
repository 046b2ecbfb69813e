package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Taken is how a step was taken back.
type Taken struct {
	Kept    string   // the ref from which its last commit stays reachable
	Reverts int      // commits that revert it, since others may have the old ones or build on them
	Also    []string // other steps that were done by the same commits
	shown   bool     // the branch itself shows that the step is not done
}

// Undo takes the last done step back: off the branch where its commit is the
// last one and not pushed, else by a commit that reverts it. A step that a person
// did has as many commits as were made while it was open, one whose session's own
// stayed apart has all of these.
func (s *Steps) Undo(ctx context.Context) (step *Step, t Taken, err error) {
	if err := s.RequirePlace(ctx); err != nil {
		return nil, t, err
	}
	if err := s.Ready(ctx); err != nil {
		return nil, t, err
	}
	step, done := s.lastDone()
	if step == nil {
		return nil, t, fault(ErrNothingLeft, "no step is done that could be undone")
	}
	commit := orNone(s.Progress.Steps[step.ID].Commit) // which may have taken the place of the event's
	if commit != None {
		if t, err = s.takeBack(ctx, step, done, commit); err != nil {
			return step, t, err
		}
	}
	e := Event{Kind: Undone, Steps: []string{step.ID}, By: ByPerson, Head: commit, Kept: t.Kept}
	if !t.shown {
		e.Kind = ReopenedBy
	}
	if err := s.Store.Apply(ctx, s.Doc, s.Branch, Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return Tick(text, step.ID, false)
	}}); err != nil {
		return step, t, err
	}
	before := s.Progress
	if err := s.Derive(ctx); err != nil {
		return step, t, err
	}
	for _, o := range s.Doc.Plan.Steps {
		if o.ID != step.ID && before.Steps[o.ID].State == StateDone && s.Progress.Steps[o.ID].State != StateDone {
			t.Also = append(t.Also, o.ID)
		}
	}
	return step, t, nil
}

// lastDone is the step whose done event is the newest of those that hold, and where
// among the events that is.
func (s *Steps) lastDone() (*Step, int) {
	for i, e := range slices.Backward(s.Doc.Events) {
		if e.Kind != DoneStep {
			continue
		}
		for _, id := range e.Steps {
			if st := s.Progress.Steps[id]; st.State == StateDone && st.Last.Commit == e.Commit {
				step, _ := s.Doc.Plan.Step(id)
				return step, i
			}
		}
	}
	return nil, 0
}

// takeBack removes a step's work from the branch. A last commit that changed no
// file is not reverted, and then the branch does not show it.
func (s *Steps) takeBack(ctx context.Context, step *Step, done int, commit string) (t Taken, err error) {
	commits, err := s.commitsOf(ctx, step.ID, done, commit)
	if err != nil {
		return t, err
	}
	if t.Kept, err = s.keepUndone(ctx, step, commits); err != nil {
		return t, err
	}
	first := commits[len(commits)-1]
	pushed, err := s.Repo.Output(ctx, "for-each-ref", "--count=1", "--contains="+first.OID, "refs/remotes/")
	if err != nil {
		return t, err
	}
	if t.shown = s.before.Head == commit && pushed == "" && len(first.Parents) == 1; t.shown {
		return t, s.Repo.Restore(ctx, first.Parents[0], nil)
	}
	changing, err := s.changing(ctx, commits)
	if t.Reverts = len(changing); t.Reverts > 0 && err == nil {
		err = s.Repo.Revert(ctx, changing...)
	}
	t.shown = slices.Contains(changing, commit)
	if errors.Is(err, git.ErrConflict) {
		err = &Fault{Kind: ErrBuiltOn, Step: step.ID,
			Text: fmt.Sprintf("later commits need what step %s did: reverting %.10s conflicts; nothing was changed", step.ID, commit)}
	}
	return t, err
}

// changing are those of some commits, newest first, that changed a file.
func (s *Steps) changing(ctx context.Context, commits []git.Commit) (out []string, err error) {
	below := ""
	if first := commits[len(commits)-1]; len(first.Parents) > 0 {
		if below, err = s.Repo.Resolve(ctx, first.Parents[0]+"^{tree}"); err != nil {
			return nil, err
		}
	}
	for _, c := range slices.Backward(commits) {
		if c.Tree != below {
			out = append(out, c.OID)
		}
		below = c.Tree
	}
	slices.Reverse(out)
	return out, nil
}

// keepUndone keeps a step's commits, newest first, under a ref: the one, or a
// commit that joins all of them, whose change against its first parent is theirs.
func (s *Steps) keepUndone(ctx context.Context, step *Step, commits []git.Commit) (string, error) {
	last, first := commits[0], commits[len(commits)-1]
	if len(commits) == 1 || len(first.Parents) != 1 {
		return s.keepCommit(ctx, last.OID, step.ID)
	}
	return s.keepTree(ctx, last.Tree, []string{first.Parents[0], last.OID}, step.ID,
		fmt.Sprintf("undone: %d commits, the last is %s", len(commits), last.Subject()))
}

const maxCommits = 200 // of one step

// commitsOf are a step's commits, newest first, of which last is the newest:
// those right below it that name the step, or that were made while it was done;
// never a merge.
func (s *Steps) commitsOf(ctx context.Context, id string, done int, last string) ([]git.Commit, error) {
	all, err := s.Repo.Log(ctx, fmt.Sprintf("--max-count=%d", maxCommits), last)
	if err != nil {
		return nil, err
	}
	made := s.madeFor(ctx, id, done, last)
	n := 1
	for n < len(all) && len(all[n-1].Parents) == 1 && len(all[n].Parents) < 2 && (made(all[n]) || namesStep(all[n].Message, s.Doc.ID, id)) {
		n++
	}
	return all[:n], nil
}

// madeFor tells the commits that were made between the start of a step and its done
// event. A rebase gives them other names: where last is none of them, they are known
// by their messages.
func (s *Steps) madeFor(ctx context.Context, id string, done int, last string) func(git.Commit) bool {
	var since []git.Commit
	e := s.Doc.Events[done]
	for _, began := range slices.Backward(s.Doc.Events[:done]) {
		if began.Kind == Started && slices.Contains(began.Steps, id) {
			made := began.Head + ".." + e.Head
			if began.Head == None {
				made = e.Head
			}
			since, _ = s.Repo.Log(ctx, made) // none of commits that are gone since
			break
		}
	}
	name := func(c git.Commit) string { return c.OID }
	if !slices.ContainsFunc(since, func(c git.Commit) bool { return c.OID == last }) {
		name = func(c git.Commit) string { return c.Message }
	}
	return func(c git.Commit) bool {
		return slices.ContainsFunc(since, func(m git.Commit) bool { return name(m) == name(c) })
	}
}

// namesStep says whether a message names a step.
func namesStep(message, plan, step string) bool {
	for line := range strings.Lines(message) {
		if p, id, ok := namedStep(line); ok && p == plan && id == step {
			return true
		}
	}
	return false
}
