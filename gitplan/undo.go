package gitplan

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Undo takes the last done step back: off the branch where its commit is the
// last one and not pushed, else by a commit that reverts it. The commit stays
// reachable from a ref, whose name is returned.
func (s *Steps) Undo(ctx context.Context) (step *Step, kept string, reverted bool, err error) {
	if err := s.RequirePlace(ctx); err != nil {
		return nil, "", false, err
	}
	if err := s.Ready(ctx); err != nil {
		return nil, "", false, err
	}
	step, commit := s.lastDone()
	if step == nil {
		return nil, "", false, fault(ErrNothingLeft, "no step is done that could be undone")
	}
	e := Event{Kind: Undone, Steps: []string{step.ID}, By: ByPerson, Head: commit}
	if commit == None {
		e.Kind = ReopenedBy // nothing on the branch says so
	} else if kept, reverted, err = s.takeBack(ctx, step, commit); err != nil {
		return step, kept, reverted, err
	}
	e.Kept = kept
	if err := s.Store.Apply(ctx, s.Doc, s.Branch, Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return Tick(text, step.ID, false)
	}}); err != nil {
		return step, kept, reverted, err
	}
	return step, kept, reverted, s.Derive(ctx)
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

// takeBack removes a commit's work from the branch, and tells whether by a commit
// that reverts it.
func (s *Steps) takeBack(ctx context.Context, step *Step, commit string) (kept string, reverted bool, err error) {
	c, err := s.Repo.ReadCommit(ctx, commit)
	if err != nil {
		return "", false, err
	}
	if kept, err = s.keepCommit(ctx, commit, step.ID); err != nil {
		return "", false, err
	}
	pushed, err := s.Repo.Output(ctx, "for-each-ref", "--count=1", "--contains="+commit, "refs/remotes/")
	if err != nil {
		return kept, false, err
	}
	if s.before.Head == commit && pushed == "" && len(c.Parents) == 1 {
		return kept, false, s.Repo.Restore(ctx, c.Parents[0], nil)
	}
	err = s.Repo.Revert(ctx, commit)
	if errors.Is(err, git.ErrConflict) {
		err = &Fault{Kind: ErrBuiltOn, Step: step.ID,
			Text: fmt.Sprintf("later commits need what step %s did: reverting %.10s conflicts; nothing was changed", step.ID, commit)}
	}
	return kept, err == nil, err
}
