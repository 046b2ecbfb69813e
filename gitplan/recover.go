package gitplan

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	step, st, ok := s.unfinished()
	if !ok {
		return nil
	}
	if note := s.noted(); st.Last.Kind == Checked && note.Tree == st.Last.Tree && note.Head == st.Last.Head {
		return s.finishCommit(ctx, step, st.Last)
	}
	return s.keepInterrupted(ctx, step, st.Last)
}

// unfinished is the step whose worker is gone without an end: it was started,
// or checked, or killed between two attempts. Only what this clone noted itself
// is believed: a plan from elsewhere must not make commits here.
func (s *Steps) unfinished() (*Step, StepState, bool) {
	step, ok := s.Doc.Plan.Step(s.noted().Name)
	if !ok {
		return nil, StepState{}, false
	}
	st := s.Progress.Steps[step.ID]
	switch st.Last.Kind {
	case Started, Checked, FailedTry:
		return step, st, st.State != StateDone && st.Last.By == ByAgent && st.Last.Kept == ""
	}
	return nil, StepState{}, false
}

// keepInterrupted keeps what an interrupted session left and puts the tree
// back. Commits that the session itself made are kept with it and taken off the
// branch; those that the person made since stay.
func (s *Steps) keepInterrupted(ctx context.Context, step *Step, e Event) error {
	s.recall(s.before)
	at := s.before.Head
	began := strings.TrimSuffix(e.Head, None)
	if at != began {
		own, known, err := s.madeBySession(ctx, began)
		if err != nil {
			return err
		}
		if own && known {
			s.before.Head = began
		}
	}
	s.byproducts = map[string]bool{}
	left := append(s.before.Paths(), s.added(s.before)...)
	kept, err := s.keep(ctx, step.ID, "interrupted")
	if err != nil {
		return err
	}
	if kept != "" {
		s.Tell(Notice{Event: SessionEnd, Step: step.ID, Role: agent.Executor, Agent: "interrupted",
			Text: fmt.Sprintf("what it left is kept as %s: %s", kept, oneLine(strings.Join(left, ", "), 300))})
	}
	if began == "" && s.before.Head == "" && at != "" {
		if err := s.Repo.DeleteRef(ctx, "refs/heads/"+s.Branch, at, "plan: kept as an attempt"); err != nil {
			return err
		}
	}
	s.forgetProgress()
	if s.before, err = s.Repo.StatusIgnored(ctx); err != nil {
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
// still where it was: exactly the tree that was checked. One that was made, and
// lost its trailer to a hook, is known by its tree.
func (s *Steps) finishCommit(ctx context.Context, step *Step, e Event) error {
	s.recall(s.before)
	if orNone(s.before.Head) != e.Head {
		if c, err := s.Repo.ReadCommit(ctx, "HEAD"); err == nil && c.Tree == e.Tree && len(c.Parents) == 1 && c.Parents[0] == e.Head {
			return s.wasCommitted(ctx, step, e, c.OID)
		}
		return s.keepInterrupted(ctx, step, e)
	}
	if err := s.Repo.Run(ctx, git.Command{Args: []string{"read-tree", e.Tree}, Writes: true}); err != nil {
		return s.keepInterrupted(ctx, step, e) // the tree is gone
	}
	if err := s.Repo.Commit(ctx, s.own.Message, proc.Mark("commit-"+random(4)), &proc.Tail{}); err != nil {
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
	return s.wasCommitted(ctx, step, e, head)
}

// wasCommitted ticks a step whose commit a crash came after.
func (s *Steps) wasCommitted(ctx context.Context, step *Step, e Event, commit string) error {
	out := Outcome{Status: agent.Done, Commit: commit, Attempts: e.Attempt, Result: agent.Result{Agent: e.Agent}}
	if err := s.settle(ctx, step, out); err != nil {
		return err
	}
	var err error
	s.before, err = s.Repo.StatusIgnored(ctx)
	return err
}
