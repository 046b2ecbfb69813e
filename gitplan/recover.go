package gitplan

import (
	"cmp"
	"context"
	"os"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
)

// recover finishes what a crash left unfinished. A step whose last event is started has a
// session's unfinished work in the tree: it is kept as an attempt, and the next session goes on
// from it. One whose last event is checked was about to be committed: exactly that tree is
// committed. The lock is ours, so the process that wrote these events is gone. waited is the step
// whose work was committed now, or kept for its next attempt.
func (s *Steps) recover(ctx context.Context, p *place.Place) (waited *plan.Step, err error) {
	if err := p.ClearHalfway(ctx); err != nil {
		return nil, err
	}
	if note := s.Noted(); note.Proving {
		_, err := s.RecoverNoted(ctx, p, note)
		return nil, err
	}
	step, st, ok := s.unfinished()
	if !ok {
		return nil, s.recoverOther(ctx, p)
	}
	note := s.Noted()
	if note.Behind && note.Waits() && !note.OfOtherTree(s.Repo.Top) {
		p.Recall()
		return step, s.keepMoved(ctx, p, step, st.Last())
	}
	if st.Last().Kind == journal.Checked && !note.OfOtherTree(s.Repo.Top) && note.Tree == st.Last().Tree && note.Head == st.Last().Head {
		return s.finishCommit(ctx, p, step, st.Last())
	}
	return nil, s.keepInterrupted(ctx, p, step, st.Last())
}

// recoverOther recovers what is left of a task that is no longer a step of the plan.
func (s *Steps) recoverOther(ctx context.Context, p *place.Place) error {
	if note := s.Noted(); note.Apart() {
		waited, err := s.RecoverNoted(ctx, p, note)
		s.Waited = cmp.Or(waited, s.Waited)
		return err
	}
	waited, err := s.RecoverFix(ctx)
	s.Waited = cmp.Or(waited, s.Waited)
	return err
}

// unfinished returns the step whose worker is gone and has recorded no end: the step was started,
// or checked, or its worker killed between two attempts. Only what this clone noted itself is
// believed: a plan from elsewhere must not make commits here.
func (s *Steps) unfinished() (*plan.Step, progress.StepState, bool) {
	note := s.Noted()
	step, ok := s.Doc.Plan.Step(note.Name)
	if !ok {
		return nil, progress.StepState{}, false
	}
	st := s.Progress.Steps[step.ID]
	switch st.Last().Kind {
	case journal.Started, journal.Checked, journal.Failed:
		return step, st, st.State != progress.StateDone && st.Last().By == journal.ByAgent && st.Last().Kept == ""
	case journal.Reopened: // by hand, after a session whose end was never settled
		st.Event = &journal.Event{Kind: journal.Failed, Head: journal.OrNone(note.Head), By: journal.ByAgent}
		return step, st, st.State != progress.StateDone && note.Session != ""
	}
	return nil, progress.StepState{}, false
}

// keepInterrupted keeps what an interrupted session at a step left.
func (s *Steps) keepInterrupted(ctx context.Context, p *place.Place, step *plan.Step, e journal.Event) error {
	reason := s.Noted().Ended()
	kept, err := p.KeepLeft(ctx, step.ID, e.Head)
	if err != nil {
		return err
	}
	if e.Kind == journal.Failed { // that one is over; the next one could not begin
		e.Attempt++
	}
	if err := s.interruptedEvent(ctx, step, e, reason, kept); err != nil {
		return err
	}
	place.Forget(s.Checkout) // not before the event: after a kill in between nothing would say what was kept
	return nil
}

func (s *Steps) interruptedEvent(ctx context.Context, step *plan.Step, e journal.Event, reason, kept string) error {
	ended := journal.Event{
		Kind: journal.Failed, Steps: []string{step.ID}, Head: e.Head, Attempt: max(e.Attempt, 1), By: journal.ByAgent,
		Reason: reason, Kept: kept, Stopped: true,
	}
	if s.Slot != "" { // its session may have been this process's, which goes on
		ended = s.WithSessions(ended)
	}
	err := s.Store.Apply(ctx, s.Doc, s.Branch, journal.Change{Event: ended})
	if err != nil {
		return err
	}
	st := s.Progress.Steps[step.ID]
	st.Event = s.Doc.Newest()
	s.Progress.Steps[step.ID] = st
	return nil
}

// finishCommit makes the commit that was about to be made, if the branch is
// still where it was: exactly the tree that was checked. One that was made, and
// lost its trailer to a hook, is known by its tree.
func (s *Steps) finishCommit(ctx context.Context, p *place.Place, step *plan.Step, e journal.Event) (waited *plan.Step, err error) {
	note := s.Noted()
	p.Recall()
	if journal.OrNone(p.Before.Head) != e.Head {
		if c, err := s.Repo.ReadCommit(ctx, "HEAD"); err == nil && c.Tree == e.Tree && len(c.Parents) == 1 && c.Parents[0] == e.Head {
			return step, s.wasCommitted(ctx, p, step, e, c.OID)
		}
		if note.Waits() {
			return step, s.keepMoved(ctx, p, step, e)
		}
		return nil, s.keepInterrupted(ctx, p, step, e)
	}
	out := work.Outcome{Ending: place.Ending{Status: agent.Done}}
	attempt := s.Attempt(p, work.Task{Name: step.ID, Role: agent.Executor}, prompt.Attempt{N: e.Attempt}, &out)
	err = p.FinishCommit(ctx, step.ID, e.Tree, &out.Ending, func() error { return attempt.GitCommit(ctx, e.Tree, &place.Leftover{}) })
	if err != nil {
		return nil, err
	}
	if out.Status != agent.Done {
		return nil, s.keepInterrupted(ctx, p, step, e)
	}
	return step, s.wasCommitted(ctx, p, step, e, out.Commit)
}

// keepMoved keeps what passed its checks if the branch has moved on since. The next attempt
// brings it there (resume).
func (s *Steps) keepMoved(ctx context.Context, p *place.Place, step *plan.Step, e journal.Event) error {
	kept, err := p.KeepPassed(ctx, step.ID)
	if err != nil {
		return err
	}
	if s.Slot == "" { // else the branch moves on all the time, and the next attempt begins at once
		s.ReportLeft(step.ID, "what waited to be committed is kept as "+kept+", since the branch has moved on")
	}
	return s.interruptedEvent(ctx, step, e, attempts.PassedReason, kept)
}

// wasCommitted ticks a step whose commit was made before the crash.
func (s *Steps) wasCommitted(ctx context.Context, p *place.Place, step *plan.Step, e journal.Event, commit string) (err error) {
	out := work.Outcome{Ending: place.Ending{Status: agent.Done, Commit: commit}, Attempts: e.Attempt, Result: agent.Result{Agent: e.Agent}}
	if err := s.settle(ctx, p, step, out); err != nil {
		return err
	}
	p.Before, err = worktree.ReadStatusIgnored(ctx, s.Repo)
	return err
}

// heal ticks what a commit did before the program could say so.
func (s *Steps) heal(ctx context.Context) error {
	for i := range s.Doc.Plan.Steps {
		step := &s.Doc.Plan.Steps[i]
		if st := s.Progress.Steps[step.ID]; st.Heal {
			if err := s.tick(ctx, step.ID, journal.Event{Head: st.Commit, By: st.Last().By, Attempt: st.Last().Attempt, Agent: st.Last().Agent}); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverSlots recovers what steps side by side left when git plan was killed, beginning with the
// one that was about to land.
func (s *Steps) recoverSlots(ctx context.Context) error {
	slots := checkout.Slots(s.Repo, s.Doc.ID)
	if len(slots) == 0 || s.Slot != "" {
		return nil
	}
	var left []*Steps
	defer func() {
		for _, b := range left {
			b.Close()
		}
	}()
	for _, name := range slots {
		b, err := s.inSlot(ctx, name, nil)
		if err != nil {
			return err
		}
		left = append(left, b)
	}
	slices.SortStableFunc(left, func(a, b *Steps) int { return rank(a.Noted()) - rank(b.Noted()) })
	for _, b := range left {
		if err := b.recoverSlot(ctx); err != nil {
			return err
		}
	}
	if err := s.Reload(ctx); err != nil {
		return err
	}
	return s.Derive(ctx)
}

// rank puts the step that was landing first: until it is recovered the work tree is not clean.
func rank(note checkout.InProgress) int {
	if note.Landing {
		return 0
	}
	return 1
}

// recoverSlot is recover in a slot; what is half made, and belongs to no task, is removed.
func (s *Steps) recoverSlot(ctx context.Context) error {
	if err := s.Reload(ctx); err != nil {
		return err
	}
	if err := s.Unlocked(true); err != nil {
		return err
	}
	before, err := worktree.ReadStatusIgnored(ctx, s.Repo)
	if err != nil {
		return err
	}
	_, err = s.recover(ctx, place.At(s.Site, before))
	if step, st, unfinished := s.unfinished(); err == nil && !unfinished && (step == nil || st.State == progress.StateDone) {
		place.Forget(s.Checkout)
	}
	return err
}

// healIndex restores the person's index after a crash, if it holds nothing but what done had
// staged.
func (s *Steps) healIndex(ctx context.Context) error {
	saved := ownIndexPath(s.Checkout)
	if _, err := os.Stat(saved); err != nil {
		return nil
	}
	note := s.Noted()
	head, _ := s.Repo.Resolve(ctx, "HEAD^{commit}")
	if staged, err := worktree.StagedTree(ctx, s.Repo); err == nil && staged == note.Tree && journal.OrNone(head) == note.Head {
		if err := worktree.LoadIndex(s.Repo, saved); err != nil {
			return err
		}
	}
	return os.Remove(saved)
}
