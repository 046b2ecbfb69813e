package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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

// lockAndReload reads what a person changed in the plan since, and keeps the plan like that until
// release.
func (s *Steps) lockAndReload(ctx context.Context) (release func(), err error) {
	if release, err = s.Runner.LockPlan(ctx); err != nil {
		return nil, err
	}
	if err = s.Checkout.StillThere(ctx); err == nil {
		err = s.Checkout.Reload(ctx)
	}
	if err == nil && s.Checkout.Slot != "" { // the branch may have moved, and a step of ours may wait
		err = s.Checkout.Derive(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// ready makes sure that a step may run here and now: it recovers what a crash left, ticks what
// that had not ticked, and then needs a clean tree. waited is the step whose work was committed
// by that, or kept for its next attempt.
func (s *Steps) ready(ctx context.Context) (p *workspace.Workspace, waited *plan.Step, err error) {
	if err = s.recoverSlots(ctx); err != nil {
		return nil, nil, err
	}
	if p, err = s.found(ctx, true); err != nil {
		return nil, nil, err
	}
	if waited, err = s.recover(ctx, p); err != nil {
		return nil, nil, err
	}
	if !p.Before.Clean() {
		err := workspace.Dirty(p.Before)
		if !errors.Is(err, fault.ErrUnmerged) {
			err = fault.New(fault.ErrSetAside, "%s", err)
		}
		return nil, nil, err
	}
	return p, waited, s.heal(ctx)
}

// readyByHand is ready for a person, for whom nothing is cleaned up: what a crash left is up to
// step.
func (s *Steps) readyByHand(ctx context.Context) (*workspace.Workspace, error) {
	p, err := s.found(ctx, false)
	if err != nil {
		return nil, err
	}
	if step, _, ok := s.unfinished(); ok && s.Checkout.TaskState().Phase != checkout.Checking {
		if err := workspace.CloneIsFree(s.Runner.Checkout); err != nil {
			return nil, err
		}
		return nil, &fault.Fault{Kind: fault.ErrUnfinished, Step: step.ID, Text: fmt.Sprintf("the session at step %s was interrupted; what it left is in the tree", step.ID)}
	}
	for _, slot := range checkout.Slots(s.Checkout.Repo, s.Checkout.Doc.ID) {
		if step := checkout.TaskStateIn(s.Checkout.Repo, s.Checkout.Doc.ID, slot).Name; step != "" {
			return nil, &fault.Fault{Kind: fault.ErrUnfinished, Step: step, Text: fmt.Sprintf("the session at step %s was interrupted; what it left is in its clone", step)}
		}
	}
	if _, err := s.recover(ctx, p); err != nil {
		return nil, err
	}
	if !p.Before.Clean() {
		return nil, workspace.Dirty(p.Before)
	}
	return p, s.heal(ctx)
}

// found refuses steps that may not run here or now, and looks at the work tree.
func (s *Steps) found(ctx context.Context, recovers bool) (*workspace.Workspace, error) {
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
		return nil, &fault.Fault{Kind: fault.ErrOpenByNext, Step: step, Text: fmt.Sprintf("step %s is open by git plan next", step)}
	}
	if err := s.Runner.Unlocked(recovers); err != nil {
		return nil, err
	}
	known := make(chan error, 1) // while git looks at the tree
	go func() { known <- s.Checkout.Store.KnowsWho(ctx) }()
	before, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err := cmp.Or(<-known, err); err != nil {
		return nil, err
	}
	return workspace.At(s.Worker.Runner, before), nil
}

// deepEnough refuses a shallow clone that lacks the commit of a step that was
// done: the branch may have it, and the step would be done again.
func (s *Steps) deepEnough(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.Checkout.Repo.CommonDir, "shallow")); err != nil {
		return nil
	}
	taken := progress.Undone(s.Checkout.Doc.Events)
	for i := range s.Checkout.Doc.Plan.Steps {
		id := s.Checkout.Doc.Plan.Steps[i].ID
		st := s.Checkout.Progress.Steps[id]
		if st.State != progress.StateReopened || st.Last().Kind != journal.Done || taken[id] != "" {
			continue
		}
		if _, err := s.Checkout.Repo.Resolve(ctx, st.Last().Head+"^{commit}"); errors.Is(err, git.ErrMissing) {
			return &fault.Fault{Kind: fault.ErrShallow, Step: id, Text: fmt.Sprintf("this clone is shallow and lacks commit %.10s, which did step %s", st.Last().Head, id)}
		}
	}
	return nil
}

// prerequisites runs the commands that must exit 0 before the first step, in the work tree: what
// they check is up to a person.
func (s *Steps) prerequisites(ctx context.Context, p *workspace.Workspace) error {
	for _, e := range s.Checkout.Doc.Events {
		if e.Kind == journal.Started {
			return nil
		}
	}
	err := p.Check(ctx, "verify", journal.Notice{}, plan.Commands(s.Checkout.Doc.Plan.Prerequisites), nil)
	var f *runner.CheckFailure
	if errors.As(err, &f) {
		return &fault.Fault{Kind: fault.ErrChecksFailed, Text: "a prerequisite of the plan is not met: " + f.Error()}
	}
	return err
}
