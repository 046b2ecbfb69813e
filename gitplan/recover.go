package gitplan

import (
	"cmp"
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// recover finishes what a crash left, by the phase in which the task was. What a session left in the
// tree is kept as an attempt, and the next session goes on from it. What had passed its checks and was
// about to be committed is committed: exactly that tree. The lock is ours, so the process that
// recorded the phase is gone. waited is the step whose work was committed now, or kept for its next
// attempt.
func (s *Steps) recover(ctx context.Context, p *workspace.Workspace) (waited *plan.Step, err error) {
	if err := p.ClearRestoring(ctx); err != nil {
		return nil, err
	}
	state := s.Checkout.TaskState()
	step, st, ok := s.unfinished()
	if !ok || state.Phase == checkout.Checking {
		return nil, s.recoverOther(ctx, p, state)
	}
	if !state.OfOtherTree(s.Checkout.Repo.Top) {
		switch state.Phase {
		case checkout.Rebasing:
			if state.Waits() {
				return step, s.keepMoved(ctx, p, step, st.Last())
			}
		case checkout.Checked, checkout.Landing:
			if st.Last().Kind == journal.Started || st.Last().Kind == journal.Checked {
				return s.finishCommit(ctx, p, step, st.Last())
			}
		}
	}
	return nil, s.keepInterrupted(ctx, p, step, st.Last())
}

// recoverOther keeps what is left of a task that no step continues: its step may have been skipped,
// blocked or removed meanwhile.
func (s *Steps) recoverOther(ctx context.Context, p *workspace.Workspace, state checkout.TaskState) (err error) {
	waited, done := "", s.Checkout.Progress.Steps[state.Name].State == progress.StateDone // was killed after its commit
	switch {
	case state.Fix() || state.Name == "":
		waited, err = s.Worker.RecoverFix(ctx)
	case state.Phase == checkout.Restoring:
		workspace.Forget(s.Checkout)
	case state.InClone() || state.Phase == checkout.Checking || state.Session != "" && !done:
		waited, err = s.Worker.RecoverNoted(ctx, p, state)
	}
	s.Waited = cmp.Or(waited, s.Waited)
	return err
}

// unfinished returns the step whose worker is gone and has recorded no end: the step was started,
// or checked, or its worker killed between two attempts. Only what this clone noted itself is
// believed: a plan from elsewhere must not make commits here.
func (s *Steps) unfinished() (*plan.Step, progress.StepState, bool) {
	note := s.Checkout.TaskState()
	step, ok := s.Checkout.Doc.Plan.Step(note.Name)
	if !ok {
		return nil, progress.StepState{}, false
	}
	st := s.Checkout.Progress.Steps[step.ID]
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
func (s *Steps) keepInterrupted(ctx context.Context, p *workspace.Workspace, step *plan.Step, e journal.Event) error {
	reason := s.Checkout.TaskState().Ended()
	kept, err := p.KeepLeft(ctx, e.Head)
	if err != nil {
		return err
	}
	if e.Kind == journal.Failed { // that one is over; the next one could not begin
		e.Attempt++
	}
	if err := s.interruptedEvent(ctx, step, e, reason, kept); err != nil {
		return err
	}
	workspace.Forget(s.Runner.Checkout) // not before the event: after a kill in between nothing would say what was kept
	return nil
}

func (s *Steps) interruptedEvent(ctx context.Context, step *plan.Step, e journal.Event, reason, kept string) error {
	ended := journal.Event{
		Kind: journal.Failed, Steps: []string{step.ID}, Head: e.Head, Attempt: max(e.Attempt, 1), By: journal.ByAgent,
		Reason: reason, Kept: kept, Stopped: true,
	}
	if s.Checkout.Slot != "" { // its session may have been this process's, which goes on
		ended = s.Worker.WithSessions(ended)
	}
	err := s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: ended})
	if err != nil {
		return err
	}
	st := s.Checkout.Progress.Steps[step.ID]
	st.Event = s.Checkout.Doc.Newest()
	s.Checkout.Progress.Steps[step.ID] = st
	return nil
}

// finishCommit makes the commit that was about to be made, if the branch is
// still where it was: exactly the tree that was checked. One that was made, and
// lost its trailer to a hook, is known by its tree.
func (s *Steps) finishCommit(ctx context.Context, p *workspace.Workspace, step *plan.Step, e journal.Event) (waited *plan.Step, err error) {
	p.Recall()
	state := s.Checkout.TaskState()
	if made := state.Commit(ctx, s.Checkout.Repo); made != "" {
		return step, s.wasCommitted(ctx, p, step, e, made)
	}
	if journal.OrNone(p.Before.Head) != state.Head {
		if state.Waits() {
			return step, s.keepMoved(ctx, p, step, e)
		}
		return nil, s.keepInterrupted(ctx, p, step, e)
	}
	oid, err := s.Worker.Finish(ctx, p, work.Task{Name: step.ID, Role: agent.Executor, First: e.Attempt}, state.Tree)
	if err == nil {
		return step, s.wasCommitted(ctx, p, step, e, oid)
	}
	if workspace.FailureOf(err) == nil {
		return nil, err
	}
	return nil, s.keepInterrupted(ctx, p, step, e)
}

// keepMoved keeps what passed its checks if the branch has moved on since. The next attempt
// brings it there (resume).
func (s *Steps) keepMoved(ctx context.Context, p *workspace.Workspace, step *plan.Step, e journal.Event) error {
	kept, err := p.KeepPassed(ctx)
	if err != nil {
		return err
	}
	if s.Checkout.Slot == "" { // else the branch moves on all the time, and the next attempt begins at once
		s.Runner.ReportLeft(step.ID, "what waited to be committed is kept as "+kept+", since the branch has moved on")
	}
	return s.interruptedEvent(ctx, step, e, checkout.PassedReason, kept)
}

// wasCommitted ticks a step whose commit was made before the crash.
func (s *Steps) wasCommitted(ctx context.Context, p *workspace.Workspace, step *plan.Step, e journal.Event, commit string) (err error) {
	out := work.Outcome{Status: agent.Done, Commit: commit, Attempts: e.Attempt, Result: agent.Result{Agent: e.Agent}}
	if err := s.settle(ctx, p, step, out); err != nil {
		return err
	}
	p.Before, err = worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	return err
}

// heal ticks what a commit did before the program could say so.
func (s *Steps) heal(ctx context.Context) error {
	for i := range s.Checkout.Doc.Plan.Steps {
		step := &s.Checkout.Doc.Plan.Steps[i]
		if st := s.Checkout.Progress.Steps[step.ID]; st.Heal {
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
	slots := checkout.Slots(s.Checkout.Repo, s.Checkout.Doc.ID)
	if len(slots) == 0 || s.Checkout.Slot != "" {
		return nil
	}
	var left []*Steps
	defer func() {
		for _, b := range left {
			b.Checkout.Close()
		}
	}()
	for _, name := range slots {
		b, err := s.inSlot(ctx, name, nil)
		if err != nil {
			return err
		}
		left = append(left, b)
	}
	slices.SortStableFunc(left, func(a, b *Steps) int { return rank(a.Checkout.TaskState()) - rank(b.Checkout.TaskState()) })
	for _, b := range left {
		if err := b.recoverSlot(ctx); err != nil {
			return err
		}
	}
	if err := s.Checkout.Reload(ctx); err != nil {
		return err
	}
	return s.Checkout.Derive(ctx)
}

// rank puts the step that was landing first: until it is recovered the work tree is not clean.
func rank(state checkout.TaskState) int {
	if state.Phase == checkout.Landing {
		return 0
	}
	return 1
}

// recoverSlot is recover in a slot; what is half made, and belongs to no task, is removed.
func (s *Steps) recoverSlot(ctx context.Context) error {
	if err := s.Checkout.Reload(ctx); err != nil {
		return err
	}
	if err := s.Runner.Unlocked(true); err != nil {
		return err
	}
	before, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err != nil {
		return err
	}
	_, err = s.recover(ctx, workspace.At(s.Worker.Runner, before))
	if step, st, unfinished := s.unfinished(); err == nil && !unfinished && (step == nil || st.State == progress.StateDone) {
		workspace.Forget(s.Runner.Checkout)
	}
	return err
}

// LeftInTree lists what a session whose git plan was killed left in the work tree, with what was
// changed there since. The next step keeps it.
func LeftInTree(ctx context.Context, c *checkout.Checkout) []string {
	note := c.TaskState()
	if note.Name == "" || note.Session == "" || note.InClone() || note.OfOtherTree(c.Repo.Top) || note.Branch != c.Branch {
		return nil
	}
	s, err := worktree.ReadStatus(ctx, c.Repo)
	if err != nil {
		return nil
	}
	added := slices.DeleteFunc(slices.Clone(s.Untracked), func(path string) bool { return !workspace.Added(&note, path) })
	return append(s.Paths(), added...)
}
