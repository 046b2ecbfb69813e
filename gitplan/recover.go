package gitplan

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// recover finishes what a crash interrupted, by the phase of the task: a tree about to be committed is committed
// exactly as it was, and its step returned; anything else is kept as an attempt. The caller has the lock.
func (s *Steps) recover(ctx context.Context, ws *workspace.Workspace) (recovered *plan.Step, err error) {
	state := s.Checkout.Task().State()
	if step, last, ok := s.unfinished(); ok && state.Phase != checkout.Checking {
		passed := (state.Phase == checkout.Checked || state.Phase == checkout.Landing) && last.Kind != journal.Failed
		if passed && !state.InOtherWorktree(s.Checkout.Repo.Top) {
			return s.finishCommit(ctx, ws, step, last)
		}
		return nil, s.keepInterrupted(ctx, ws, step, last)
	}
	// no step continues it: such as one that was skipped or done by hand meanwhile
	st := s.Checkout.Progress.Steps[state.Name]
	switch {
	case state.Name == "" && s.Checkout.Clone != nil: // the next task goes on with its files
	case st.State == progress.StateDone && st.Last().By == journal.ByAgent: // it was killed after its commit
		ws.LoadState(ctx)
		s.Checkout.Task().Forget()
	case state.InClone || state.Session != "" || state.Phase == checkout.Restoring:
		return nil, s.Worker.KeepTask(ctx, ws, state)
	default:
		s.Checkout.Task().Forget()
	}
	return nil, nil
}

// unfinished returns the step whose worker is gone and recorded no end, with its last event. Only
// this clone's own task state is believed: a plan from elsewhere must not make commits here.
func (s *Steps) unfinished() (*plan.Step, journal.Event, bool) {
	state := s.Checkout.Task().State()
	step, ok := s.Checkout.Doc.Plan.Step(state.Name)
	if !ok {
		return nil, journal.Event{}, false
	}
	st := s.Checkout.Progress.Steps[step.ID]
	last, open := st.Last(), st.State != progress.StateDone
	switch last.Kind {
	case journal.Started, journal.Checked, journal.Failed:
		return step, last, open && last.By == journal.ByAgent && last.Kept == ""
	case journal.Reopened: // by hand, after a session whose end was never recorded
		return step, journal.Event{Kind: journal.Failed, Head: journal.OrNone(state.Head), By: journal.ByAgent},
			open && state.Session != ""
	}
	return nil, last, false
}

func (s *Steps) keepInterrupted(ctx context.Context, ws *workspace.Workspace, step *plan.Step, last journal.Event) error {
	state := s.Checkout.Task().State()
	reason := state.Ended().Reason
	if state.AwaitsCommit() {
		reason = checkout.PassedReason
	}
	kept, err := ws.KeepInterrupted(ctx, last.Head)
	if err != nil {
		return err
	}
	if last.Kind == journal.Failed { // that one is over; the next one could not begin
		last.Attempt++
	}
	err = s.Checkout.Apply(ctx, journal.Change{Event: journal.Event{
		Kind: journal.Failed, Steps: []string{step.ID}, Head: last.Head, Attempt: max(last.Attempt, 1), By: journal.ByAgent,
		Reason: reason, Kept: kept, Stopped: true,
	}})
	if err == nil { // else nothing would name what was kept
		s.Checkout.Task().Forget()
	}
	return err
}

// finishCommit commits exactly the tree that was checked, if the branch is still where it was. A tree from a clone is
// kept, and the step goes on from it without a session. A commit that lost its trailer to a hook is known by its tree.
func (s *Steps) finishCommit(ctx context.Context, ws *workspace.Workspace, step *plan.Step,
	last journal.Event) (recovered *plan.Step, err error) {
	ws.LoadState(ctx)
	state := s.Checkout.Task().State()
	made := state.Commit(ctx, s.Checkout.Repo)
	switch {
	case made != "":
	case journal.OrNone(ws.Before.Head) == state.Head && !state.InClone:
		if made, err = s.Worker.Finish(ctx, ws, work.Task{Name: step.ID, Role: agent.Executor, First: last.Attempt},
			state.Tree); workspace.FailureOf(err) != nil {
			return nil, s.keepInterrupted(ctx, ws, step, last)
		}
	default:
		return nil, s.keepInterrupted(ctx, ws, step, last)
	}
	if err != nil {
		return nil, err
	}
	out := work.Outcome{Status: agent.Done, Commit: made, Attempts: last.Attempt, Result: agent.Result{Agent: last.Agent}}
	if err := s.settle(ctx, ws, step, out); err != nil {
		return step, err
	}
	ws.Before, err = worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	return step, err
}

func (s *Steps) tickCommitted(ctx context.Context) error {
	for _, step := range s.Checkout.Doc.Plan.Steps {
		if st := s.Checkout.Progress.Steps[step.ID]; st.Unticked {
			last := st.Last()
			e := journal.Event{Head: st.Commit, By: last.By, Attempt: last.Attempt, Agent: last.Agent}
			if err := s.tick(ctx, step.ID, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverSlots recovers what parallel steps left when git plan was killed, first the one that was landing.
func (s *Steps) recoverSlots(ctx context.Context) error {
	names := checkout.Slots(s.Checkout.Repo, s.Checkout.Doc.ID)
	if len(names) == 0 || s.Checkout.Slot != "" {
		return nil
	}
	var slots []*Steps
	for _, name := range names {
		b, err := s.inSlot(ctx, name, nil)
		if err != nil {
			return err
		}
		defer b.Checkout.Close()
		if b.Checkout.Task().State().Phase == checkout.Landing {
			slots = slices.Insert(slots, 0, b)
		} else {
			slots = append(slots, b)
		}
	}
	for _, b := range slots {
		if err := b.recoverSlot(ctx); err != nil {
			return err
		}
	}
	return s.Checkout.Renew(ctx)
}

// KeepUnfinished recovers what sessions of a killed git plan left, side by side or alone.
func (s *Steps) KeepUnfinished(ctx context.Context) error {
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return err
	}
	if err := s.recoverSlots(ctx); err != nil {
		return err
	}
	if _, byHand := s.Checkout.OpenByNext(); byHand {
		return nil
	}
	return s.recoverSlot(ctx)
}

// recoverSlot is recover in a slot. What belongs to no task is removed.
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
	if _, err = s.recover(ctx, workspace.At(s.Runner, before)); err == nil {
		s.Checkout.Task().DiscardIdleClone()
	}
	return err
}

// InterruptedFiles lists what a session whose git plan was killed left in the work tree, until the next step keeps it.
func InterruptedFiles(ctx context.Context, c *checkout.Checkout) []string {
	state := c.Task().State()
	if state.Name == "" || state.Session == "" || state.InClone || state.InOtherWorktree(c.Repo.Top) || state.Branch != c.Branch {
		return nil
	}
	s, err := worktree.ReadStatus(ctx, c.Repo)
	if err != nil {
		return nil
	}
	added := slices.DeleteFunc(slices.Clone(s.Untracked), func(path string) bool { return !workspace.Added(&state, path) })
	return append(s.Paths(), added...)
}

func (s *Steps) lockAndReload(ctx context.Context) (release func(), err error) {
	if release, err = s.Runner.LockPlan(ctx); err != nil {
		return nil, err
	}
	read := s.Checkout.Reload
	if s.Checkout.Slot != "" { // the branch may have moved
		read = s.Checkout.Renew
	}
	if err = s.Checkout.RequireBranch(ctx); err == nil {
		err = read(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// ready makes sure that a step may run here and now: after recover, the tree must be clean.
func (s *Steps) ready(ctx context.Context) (ws *workspace.Workspace, recovered *plan.Step, err error) {
	if err = s.recoverSlots(ctx); err != nil {
		return nil, nil, err
	}
	if ws, err = s.open(ctx, true); err != nil {
		return nil, nil, err
	}
	head := ws.Before.Head
	if recovered, err = s.recover(ctx, ws); err == nil && ws.Before.Head != head {
		err = s.Checkout.Derive(ctx) // without the commits of a killed session
	}
	if err != nil {
		return nil, nil, err
	}
	if !ws.Before.Clean() {
		err := workspace.Dirty(ws.Before)
		if !errors.Is(err, fault.ErrUnmerged) && !errors.Is(err, fault.ErrSubmodules) {
			err = fault.New(fault.ErrSetAside, "%s", err)
		}
		return nil, nil, err
	}
	return ws, recovered, s.tickCommitted(ctx)
}

// readyByHand is ready for a person: what a crash left stays for git plan step.
func (s *Steps) readyByHand(ctx context.Context) (*workspace.Workspace, error) {
	ws, err := s.open(ctx, false)
	if err != nil {
		return nil, err
	}
	if step, _, ok := s.unfinished(); ok && s.Checkout.Task().State().Phase != checkout.Checking {
		if err := s.Checkout.Task().RequireFreeClone(); err != nil {
			return nil, err
		}
		return nil, fault.AtStep(fault.ErrUnfinished, step.ID,
			"the session at step %s was interrupted; its work is in the tree", step.ID)
	}
	for _, slot := range checkout.Slots(s.Checkout.Repo, s.Checkout.Doc.ID) {
		if step := checkout.TaskIn(s.Checkout.Repo, s.Checkout.Doc.ID, slot).State().Name; step != "" {
			return nil, fault.AtStep(fault.ErrUnfinished, step,
				"the session at step %s was interrupted; its work is in its clone", step)
		}
	}
	if _, err := s.recover(ctx, ws); err != nil {
		return nil, err
	}
	if !ws.Before.Clean() {
		return nil, workspace.Dirty(ws.Before)
	}
	return ws, s.tickCommitted(ctx)
}

// open refuses steps that may not run here or now, and reads the status of the work tree.
func (s *Steps) open(ctx context.Context, recovers bool) (*workspace.Workspace, error) {
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return nil, err
	}
	if _, err := s.Checkout.NotApproved(); err != nil { // choose leaves out the steps that wait
		return nil, err
	}
	if step, ok := s.Checkout.OpenByNext(); ok {
		return nil, fault.AtStep(fault.ErrOpenByNext, step, "step %s was opened by git plan next", step)
	}
	if err := s.Runner.Unlocked(recovers); err != nil {
		return nil, err
	}
	known := make(chan error, 1) // while git reads the tree
	go func() { known <- s.Checkout.Store.KnowsWho(ctx) }()
	before, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err := cmp.Or(<-known, err); err != nil {
		return nil, err
	}
	return workspace.At(s.Runner, before), nil
}
