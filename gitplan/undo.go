package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Taken is how a step was taken back.
type Taken struct {
	Kept     string // the ref from which its last commit stays reachable
	Reverted bool   // by new commits, since others may have the old ones or build on them
	shown    bool   // the branch itself shows that the step is not done
}

// Undo takes the last done step back: off the branch where its commit is the
// last one and not pushed, else by a commit that reverts it. A step that a person
// did has as many commits as were made while it was open.
func (s *Steps) Undo(ctx context.Context) (step *Step, t Taken, err error) {
	if err := s.RequirePlace(ctx); err != nil {
		return nil, t, err
	}
	if err := s.Ready(ctx); err != nil {
		return nil, t, err
	}
	step, commit := s.lastDone()
	if step == nil {
		return nil, t, fault(ErrNothingLeft, "no step is done that could be undone")
	}
	if commit != None {
		if t, err = s.takeBack(ctx, step, commit); err != nil {
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
	return step, t, s.Derive(ctx)
}

// lastDone is the step whose done event is the newest of those that hold.
func (s *Steps) lastDone() (*Step, string) {
	for i := len(s.Doc.Events) - 1; i >= 0; i-- {
		e := s.Doc.Events[i]
		if e.Kind != DoneStep {
			continue
		}
		for _, id := range e.Steps {
			if st := s.Progress.Steps[id]; st.State == StateDone && st.Last.Commit == e.Commit {
				step, _ := s.Doc.Plan.Step(id)
				return step, orNone(st.Commit)
			}
		}
	}
	return nil, ""
}

// takeBack removes a step's work from the branch. A last commit that changed no
// file is not reverted, and then the branch does not show it.
func (s *Steps) takeBack(ctx context.Context, step *Step, commit string) (t Taken, err error) {
	commits, err := s.commitsOf(ctx, step.ID, commit)
	if err != nil {
		return t, err
	}
	if t.Kept, err = s.keepCommit(ctx, commit, step.ID); err != nil {
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
	if t.Reverted = len(changing) > 0; t.Reverted && err == nil {
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

// commitsOf are a step's commits, newest first, of which its done event names the
// last: all since git plan next where a person did it and that beginning is
// still below, unless one of them is a merge; else that one.
func (s *Steps) commitsOf(ctx context.Context, id, last string) ([]git.Commit, error) {
	c, err := s.Repo.ReadCommit(ctx, last)
	alone := []git.Commit{c}
	at := slices.IndexFunc(s.Doc.Events, func(e Event) bool { return e.Kind == DoneStep && e.Head == last && slices.Contains(e.Steps, id) })
	if err != nil || at < 0 || s.Doc.Events[at].By != ByPerson {
		return alone, err
	}
	for _, e := range slices.Backward(s.Doc.Events[:at]) {
		if e.Kind != Started || !slices.Contains(e.Steps, id) {
			continue
		}
		if below, err := s.Repo.IsAncestor(ctx, e.Head, last); err != nil || !below || e.Head == last {
			return alone, nil // a rewritten branch: what was begun on is not there
		}
		all, err := s.Repo.Log(ctx, e.Head+".."+last)
		if err != nil || slices.ContainsFunc(all, func(c git.Commit) bool { return len(c.Parents) != 1 }) {
			return alone, err
		}
		return all, nil
	}
	return alone, nil
}
