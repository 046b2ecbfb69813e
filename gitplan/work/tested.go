package work

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A check that runs no test any more proves nothing, whatever its exit code: a session that has
// every test left out, by a name, a build constraint or a setting, would pass.

// noteTests notes whether a check ran tests.
func (a *Attempt) noteTests(command string, exit proc.Exit, output string) {
	if a.idle == nil || a.out.Tested == nil {
		a.idle, a.out.Tested = map[string]string{}, map[string]bool{}
	}
	delete(a.idle, command)
	a.out.Tested[command] = visible.RanTests(output)
	if none := visible.RanNothing(output); exit.OK() && none != "" {
		a.idle[command] = visible.OneLine(none, 200)
	}
}

// sawTests fails the attempt if one of its checks ran tests before the task, and none now. That a
// check ran none, as perhaps before, is reported.
func (a *Attempt) sawTests(ctx context.Context) error {
	if len(a.idle) == 0 || a.p.Before.Head == "" {
		return nil
	}
	head, err := a.w.Repo.ReadCommit(ctx, a.p.Before.Head)
	if err != nil {
		return err
	}
	known := a.w.Proofs()
	for _, command := range a.t.Checks {
		none, ok := a.idle[command]
		if !ok {
			continue
		}
		for _, p := range known {
			if p.Tested && p.Tree == head.Tree && p.Command == command {
				a.out.Fail("`%s` passes, but runs no test any more: %s", visible.OneLine(command, 200), none)
				return nil
			}
		}
		if text := fmt.Sprintf("`%s` ran no test: %s", visible.OneLine(command, 200), none); !slices.Contains(a.out.Reported, text) {
			a.out.Reported = append(a.out.Reported, text)
		}
	}
	return nil
}
