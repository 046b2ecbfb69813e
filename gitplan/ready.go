package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// lockAndReload reloads the plan and locks its text until release.
func (s *Steps) lockAndReload(ctx context.Context) (release func(), err error) {
	if release, err = s.Runner.LockPlan(ctx); err != nil {
		return nil, err
	}
	if err = s.Checkout.RequireBranch(ctx); err == nil {
		err = s.Checkout.Reload(ctx)
	}
	if err == nil && s.Checkout.Slot != "" { // the branch may have moved
		err = s.Checkout.Derive(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// ready makes sure that a step may run here and now: it recovers what a crash left, and then needs a
// clean tree. recovered is the step whose work was committed by that, or kept for its next attempt.
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
	return ws, recovered, s.heal(ctx)
}

// readyByHand is ready for a person: what a crash left stays for git plan step.
func (s *Steps) readyByHand(ctx context.Context) (*workspace.Workspace, error) {
	ws, err := s.open(ctx, false)
	if err != nil {
		return nil, err
	}
	if step, _, ok := s.unfinished(); ok && s.Checkout.TaskState().Phase != checkout.Checking {
		if err := workspace.CloneIsFree(s.Checkout); err != nil {
			return nil, err
		}
		return nil, &fault.Fault{Kind: fault.ErrUnfinished, Step: step.ID, Text: fmt.Sprintf("the session at step %s was interrupted; its work is in the tree", step.ID)}
	}
	for _, slot := range checkout.Slots(s.Checkout.Repo, s.Checkout.Doc.ID) {
		if step := checkout.TaskStateIn(s.Checkout.Repo, s.Checkout.Doc.ID, slot).Name; step != "" {
			return nil, &fault.Fault{Kind: fault.ErrUnfinished, Step: step, Text: fmt.Sprintf("the session at step %s was interrupted; its work is in its clone", step)}
		}
	}
	if _, err := s.recover(ctx, ws); err != nil {
		return nil, err
	}
	if !ws.Before.Clean() {
		return nil, workspace.Dirty(ws.Before)
	}
	return ws, s.heal(ctx)
}

// open refuses steps that may not run here or now, and reads the status of the work tree.
func (s *Steps) open(ctx context.Context, recovers bool) (*workspace.Workspace, error) {
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return nil, err
	}
	if _, err := s.Checkout.NotApproved(); err != nil { // choose leaves out the steps that wait
		return nil, err
	}
	if err := s.deepEnough(ctx); err != nil {
		return nil, err
	}
	if step, ok := s.Checkout.OpenByNext(); ok {
		return nil, &fault.Fault{Kind: fault.ErrOpenByNext, Step: step, Text: fmt.Sprintf("step %s was opened by git plan next", step)}
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

// deepEnough refuses a shallow clone that lacks the commit of a done step: the step would be done again.
func (s *Steps) deepEnough(ctx context.Context) error {
	if !s.Checkout.Repo.Shallow() {
		return nil
	}
	undone := progress.Undone(s.Checkout.Doc.Events)
	for i := range s.Checkout.Doc.Plan.Steps {
		id := s.Checkout.Doc.Plan.Steps[i].ID
		st := s.Checkout.Progress.Steps[id]
		if st.State != progress.StateReopened || st.Last().Kind != journal.Done || undone[id] != "" {
			continue
		}
		if _, err := s.Checkout.Repo.Resolve(ctx, st.Last().Head+"^{commit}"); errors.Is(err, git.ErrMissing) {
			return &fault.Fault{Kind: fault.ErrShallow, Step: id, Text: fmt.Sprintf("this clone is shallow and lacks commit %.10s, which did step %s", st.Last().Head, id)}
		}
	}
	return nil
}

// prerequisites runs the commands that must exit 0 before the first step, in the work tree.
func (s *Steps) prerequisites(ctx context.Context, ws *workspace.Workspace) error {
	if slices.ContainsFunc(s.Checkout.Doc.Events, func(e journal.Event) bool { return e.Kind == journal.Started }) {
		return nil
	}
	err := ws.Check(ctx, "verify", journal.Notice{}, plan.Commands(s.Checkout.Doc.Plan.Prerequisites), nil)
	if f, ok := errors.AsType[*runner.CheckFailure](err); ok {
		return &fault.Fault{Kind: fault.ErrChecksFailed, Text: "a prerequisite of the plan is not met: " + f.Error()}
	}
	return err
}

// Baseline runs do with the checks of the plan where a session would work, before any work.
func (s *Steps) Baseline(ctx context.Context, do func(*work.Prover) error) error {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return err
	}
	defer release()
	ws, err := s.readyByHand(ctx)
	if err != nil {
		return err
	}
	here, leave, err := ws.Enter(ctx, agent.Executor)
	if err != nil {
		return err
	}
	defer leave()
	b, err := work.NewProver(ctx, s.Worker, here, workspace.Proving{Name: "baseline"})
	if err == nil {
		err = do(b)
	}
	workspace.Abandon(s.Checkout, err)
	return err
}
