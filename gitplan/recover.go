package gitplan

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// recover finishes what a crash left unfinished. A step whose last event is
// started has a session's unfinished work in the tree: it is kept as an
// attempt, and the next session goes on from it. One whose last event is
// checked was about to be committed: exactly that tree is committed. The lock
// is ours, so whoever wrote these events is gone.
func (s *Steps) recover(ctx context.Context) error {
	for i := range s.Doc.Plan.Steps {
		step := &s.Doc.Plan.Steps[i]
		st := s.Progress.Steps[step.ID]
		if st.State == StateDone || st.Last.By != ByAgent {
			continue
		}
		var err error
		switch st.Last.Kind {
		case Checked:
			err = s.finishCommit(ctx, step, st.Last)
		case Started:
			err = s.keepInterrupted(ctx, step, st.Last)
		case FailedTry:
			if st.Last.Kept == "" && !s.before.Clean() {
				err = s.keepInterrupted(ctx, step, st.Last)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepInterrupted keeps what an interrupted session left and cleans the tree.
// Commits made since stay: they may be the person's.
func (s *Steps) keepInterrupted(ctx context.Context, step *Step, e Event) error {
	s.recallUntracked(s.before)
	kept, err := s.keep(ctx, step.ID, "interrupted")
	if err != nil {
		return err
	}
	s.forgetUntracked()
	if s.before, err = s.Repo.Status(ctx); err != nil {
		return err
	}
	return s.interruptedEvent(ctx, step, e, kept)
}

func (s *Steps) interruptedEvent(ctx context.Context, step *Step, e Event, kept string) error {
	err := s.Store.Apply(ctx, s.Doc, s.Branch, Change{Event: Event{
		Kind: FailedTry, Steps: []string{step.ID}, Head: e.Head, Attempt: max(e.Attempt, 1), By: ByAgent,
		Reason: "interrupted", Kept: kept,
	}})
	if err != nil {
		return err
	}
	st := s.Progress.Steps[step.ID]
	st.Last = s.Doc.Events[len(s.Doc.Events)-1]
	s.Progress.Steps[step.ID] = st
	return nil
}

// finishCommit makes the commit that was about to be made, if the branch is
// still where it was: exactly the tree that was checked.
func (s *Steps) finishCommit(ctx context.Context, step *Step, e Event) error {
	if orNone(s.before.Head) != e.Head {
		return s.keepInterrupted(ctx, step, e)
	}
	if err := s.Repo.Run(ctx, git.Command{Args: []string{"read-tree", e.Tree}}); err != nil {
		return s.keepInterrupted(ctx, step, e) // the tree is gone
	}
	said := &proc.Tail{}
	trailer := fmt.Sprintf("%s: %s/%s", StepTrailer, s.Doc.ID, step.ID)
	if err := s.Repo.Commit(ctx, commitMessage(step.Title, "", trailer), said); err != nil {
		var refused *git.Error
		if !errors.As(err, &refused) {
			return err
		}
		return s.keepInterrupted(ctx, step, e)
	}
	head, err := s.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return err
	}
	s.before.Head = head
	out := Outcome{Status: agent.Done, Commit: head, Attempts: e.Attempt, Result: agent.Result{Agent: e.Agent}}
	if err := s.settle(ctx, step, out); err != nil {
		return err
	}
	s.before, err = s.Repo.Status(ctx)
	return err
}
