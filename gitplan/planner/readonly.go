package planner

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/work"
)

// task returns the task of a session that only reads, and what it is shown of the repository beside its plan.
func task(ctx context.Context, w *work.Worker, role agent.Role, p prompt.Planning) (t work.Task, rules, survey string, err error) {
	t = work.Task{Role: role, Name: map[agent.Role]string{agent.Planner: "plan", agent.Critic: "critic"}[role]}
	if t.Agent, err = w.Checkout.Config.Agent(role); err == nil {
		err = w.SetTimeouts(&t)
	}
	if err == nil {
		rules, survey, err = About(ctx, w, p)
	}
	return t, rules, survey, err
}

// planningDir returns where a session that only reads does so: a throwaway clone if its agent can write.
func planningDir(ctx context.Context, w *work.Worker, a agent.Agent) (dir string, discard func(), err error) {
	if !a.MayWrite() {
		return w.Checkout.Repo.Top, func() {}, nil
	}
	head, err := w.Checkout.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return "", nil, err
	}
	return checkout.Throwaway(ctx, w.Checkout.Repo, head, filepath.Base(w.Checkout.Repo.Top))
}

// reading runs a session that must not change anything; the error is about changes outside of its clone.
func reading(ctx context.Context, w *work.Worker, t work.Task, session string, hold func() agent.Result) (agent.Result, error) {
	watch := w.Runner.Watch(w.Runner.Scene())
	if err := watch.Session(ctx, t.Name, session, ""); err != nil {
		return agent.Result{}, err
	}
	r := hold()
	err := checkUntouched(context.WithoutCancel(ctx), w.Runner, t.Role, watch)
	watch.Remove()
	return r, err
}

// checkUntouched looks at what a planner must not touch, and reports refs that moved.
func checkUntouched(ctx context.Context, w *runner.Runner, role agent.Role, watch *runner.Watch) error {
	changed, lost, err := watch.Changed(ctx)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		if err := watch.Distrusted(); err != nil {
			return err
		}
	}
	for _, text := range watch.RefsChanged(ctx, "during the session") {
		w.Report(journal.Notice{Kind: journal.StepNote, Role: role, Text: text})
	}
	moved, err := w.PlanBack(ctx)
	if err != nil {
		return err
	}
	if lost {
		err = w.AttachAgain(ctx)
	}
	if len(changed) == 0 && err == nil {
		changed, err = watch.BasesTook(ctx)
	}
	switch {
	case err != nil:
		return err
	case len(changed) > 0:
		return fault.New(fault.ErrSetupChanged, "%s", integrity.Tampered(append([]string{"the " + string(role) + "'s session changed " + strings.Join(changed, ", ")}, moved...)...))
	case len(moved) > 0:
		return fault.New(fault.ErrSetupChanged, "%s", integrity.Tampered(moved...))
	}
	return nil
}
