package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// runEach runs commands of the plan one by one as a session would, on the current tree, and calls ended with how each
// did; failed is nil if it passed. They run what sessions wrote: ErrSetupChanged if one changed the set-up.
func (w *Worker) runEach(ctx context.Context, at *workspace.Workspace, commands []string,
	ended func(here *workspace.Workspace, how runner.Ended, failed *runner.CheckFailure) error) error {
	here, leave, err := at.Enter(ctx, agent.Fixer)
	if err != nil {
		return err
	}
	defer func() {
		leave()
		workspace.DiscardClone(w.Checkout)
	}()
	here.Watch = here.Runner.Watch(here.Target())
	_, err = here.WatchUserFiles(ctx, "", checkout.Checking, func() (string, error) {
		for _, command := range commands {
			how := runner.Ended{Command: command}
			err := here.Check(ctx, "verify", journal.Notice{Round: new(int)}, []string{command}, func(e runner.Ended) { how = e })
			if changed := here.Watch.Unchanged(context.WithoutCancel(ctx)); changed != nil {
				return "", errors.Join(here.Watch.Distrusted(), fault.New(fault.ErrSetupChanged, "%s", changed.Error()))
			}
			failed, isFailure := errors.AsType[*runner.CheckFailure](err)
			if err == nil || isFailure {
				err = ended(here, how, failed)
			}
			if err != nil {
				return "", err
			}
		}
		return "", nil
	})
	return err
}

// Failing returns those commands of the plan that fail on the current tree. It runs none that Measure saw pass on it.
func (w *Worker) Failing(ctx context.Context, at *workspace.Workspace,
	commands []string) (out []*runner.CheckFailure, err error) {
	tree, err := w.tree(ctx, at.Before.Head)
	commands = slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return slices.Contains(w.passed, tree+c) })
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	err = w.runEach(ctx, at, commands, func(_ *workspace.Workspace, _ runner.Ended, failed *runner.CheckFailure) error {
		if failed != nil {
			out = append(out, failed)
		}
		return nil
	})
	return out, err
}

// Measure runs commands, and returns how each ended; ErrDirty if one changes the tree, which the next would measure.
func (w *Worker) Measure(ctx context.Context, at *workspace.Workspace, commands []string) (out []journal.Measured, err error) {
	tree, err := w.tree(ctx, at.Before.Head)
	if err != nil {
		return nil, err
	}
	var results []runner.CheckResult
	err = w.runEach(ctx, at, commands, func(here *workspace.Workspace, how runner.Ended, failed *runner.CheckFailure) error {
		now, err := worktree.ReadStatus(ctx, here.Tree())
		if err != nil {
			return err
		}
		if !now.Clean() {
			return &fault.Fault{Kind: fault.ErrDirty,
				Text: fmt.Sprintf("`%s` changes what it measures: %s", how.Command, visible.Few(now.Paths()))}
		}
		results = append(results, resultOf(w.Checkout, tree, how))
		out = append(out, journal.Measured{Command: how.Command, Number: how.Number, Passed: failed == nil})
		if failed == nil {
			w.passed = append(w.passed, tree+how.Command)
		}
		return nil
	})
	if err == nil {
		err = w.Runner.RecordResults(results...)
	}
	return out, err
}
