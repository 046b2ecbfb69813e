package work

import (
	"cmp"
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

// entered has do work in the workspace and the sandbox of a session, on the current tree.
func (w *Worker) entered(ctx context.Context, at *workspace.Workspace, do func(here *workspace.Workspace) error) error {
	here, leave, err := at.Enter(ctx, agent.Fixer)
	if err != nil {
		return err
	}
	defer func() {
		leave()
		workspace.DiscardClone(w.Checkout)
	}()
	here.Watch = here.Runner.Watch(here.Target())
	_, err = here.WatchUserFiles(ctx, "", checkout.Checking, func() (string, error) { return "", do(here) })
	return err
}

// Failing runs commands of the plan on the current tree, in the workspace and the sandbox of a session, but those
// that Measure saw pass on it, and returns those that fail.
func (w *Worker) Failing(ctx context.Context, at *workspace.Workspace, commands []string) (out []*runner.CheckFailure, err error) {
	tree, err := w.tree(ctx, at.Before.Head)
	commands = slices.DeleteFunc(slices.Clone(commands), func(command string) bool { return slices.Contains(w.passed, tree+command) })
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	err = w.entered(ctx, at, func(here *workspace.Workspace) error {
		for _, command := range commands {
			err := here.Check(ctx, "verify", journal.Notice{Round: new(int)}, []string{command}, nil)
			if failed, ok := errors.AsType[*runner.CheckFailure](err); ok {
				out, err = append(out, failed), nil
			}
			if err := cmp.Or(unharmed(context.WithoutCancel(ctx), here), err); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// unharmed returns ErrSetupChanged if commands changed the set-up: they run what sessions wrote.
func unharmed(ctx context.Context, here *workspace.Workspace) error {
	if changed := here.Watch.Unchanged(ctx); changed != nil {
		return errors.Join(here.Watch.Distrusted(), fault.New(fault.ErrSetupChanged, "%s", changed.Error()))
	}
	return nil
}

// Measure runs commands as Failing does, and returns how each ended. What one changes in the tree is
// ErrDirty: the next would measure something else than the commit.
func (w *Worker) Measure(ctx context.Context, at *workspace.Workspace, commands []string) (out []journal.Measured, err error) {
	err = w.entered(ctx, at, func(here *workspace.Workspace) error {
		tree, err := w.tree(ctx, here.Before.Head)
		if err != nil {
			return err
		}
		var proofs []runner.Proof
		for _, command := range commands {
			m := journal.Measured{Command: command}
			err := here.Check(ctx, "verify", journal.Notice{Round: new(int)}, []string{command}, func(e runner.Ended) {
				m.Number, proofs = e.Number, append(proofs, proofOf(w.Checkout, tree, e))
			})
			if m.Passed = err == nil; err != nil && !errors.As(err, new(*runner.CheckFailure)) {
				return err
			}
			if err := unharmed(context.WithoutCancel(ctx), here); err != nil {
				return err
			}
			now, err := worktree.ReadStatus(ctx, here.Tree())
			if err != nil {
				return err
			}
			if !now.Clean() {
				return &fault.Fault{Kind: fault.ErrDirty, Text: fmt.Sprintf("`%s` changes what it measures: %s", command, visible.Few(now.Paths()))}
			}
			if out = append(out, m); m.Passed {
				w.passed = append(w.passed, tree+command)
			}
		}
		return w.prove(proofs)
	})
	return out, err
}

// VerifyAsPerson runs commands of the plan as the person who asks would type them.
func (w *Worker) VerifyAsPerson(ctx context.Context, commands []string) error {
	return w.Runner.PersonsChecks("verify", journal.Notice{}).Run(ctx, commands)
}
