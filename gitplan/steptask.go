package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// task returns the task of a step. The step's own fields come before the configuration's.
func (s *Steps) task(ctx context.Context, ws *workspace.Workspace, step *plan.Step) (work.Task, error) {
	if err := s.inTheWay(ctx, ws.Before, step); err != nil {
		return work.Task{}, err
	}
	t := s.judging(step)
	t.Role, t.Files = agent.Executor, step.Files
	t.Unchanged = len(plan.Commands(step.Checks)) > 0 || step.Run != ""
	t.Assume = !step.Ask && step.Run == ""
	t.Prompt = s.Checkout.StepPrompt(ctx, step)
	t.Guard = s.guarding(step, "")
	t.Record = func(ctx context.Context, e journal.Event) error {
		e.Steps = []string{step.ID}
		return s.apply(ctx, e)
	}
	if err := s.limits(&t, step); err != nil {
		return t, err
	}
	t.Pause = func() bool {
		return s.Stopping != nil && s.Stopping() || journal.TextWanted(s.Checkout.Repo, s.Checkout.Doc.ID)
	}
	first := s.resume(ctx, step, &t)
	if f := work.Unpriced(s.Checkout, *step); f != nil && t.Kept.Message == "" { // it would end after one session
		return t, f
	}
	t.Begin = func() {
		n := journal.Notice{Kind: journal.StepStart, Step: step.ID, Text: step.Title, Attempt: t.First}
		if s.atWork != nil {
			n.Steps = s.atWork()
		}
		s.Runner.Report(n)
	}
	fresh := first && t.Kept.Commit == nil && s.Checkout.Progress.Work[step.ID] == ""
	t.Before = func(ctx context.Context, here *workspace.Workspace) ([]string, error) {
		return work.BeforeStep(ctx, s.Worker, here, step, fresh)
	}
	return t, nil
}

func (s *Steps) judging(step *plan.Step) work.Task {
	return work.Task{
		Name: step.ID, Subject: step.Title,
		Trailer: fmt.Sprintf("%s: %s/%s", journal.StepTrailer, s.Checkout.Doc.ID, step.ID),
		Checks:  plan.Commands(step.Checks, s.Checkout.Doc.Plan.Checks), Accepted: progress.Accepted(s.Checkout.Doc.Events),
	}
}

func (s *Steps) limits(t *work.Task, step *plan.Step) (err error) {
	c := s.Checkout.Config
	attempts, err := c.Int("plan.attempts")
	wrong := s.Worker.SetLimits(&t.Session, t.Role)
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	t.Attempts = cmp.Or(step.Attempts, attempts)
	if step.Timeout != "" {
		if t.Session.Timeout, err = c.DurationOf("Timeout of step "+step.ID, step.Timeout); err != nil {
			return err
		}
	}
	t.Session.Model, t.Session.Effort = step.Model, step.Effort
	if step.Run != "" {
		t.Agent, t.Attempts = work.Shell{Command: step.Run}, 1
		return nil
	}
	t.Agent, err = c.StepAgent(step, t.Role)
	return err
}

// resume goes on from what the last attempt left, and repeats it if it was interrupted or limited, which does not count.
// It reports whether the next attempt is the first, or the first since the step was opened again.
func (s *Steps) resume(ctx context.Context, step *plan.Step, t *work.Task) (first bool) {
	s.recall(step, t)
	last, n := s.Checkout.Progress.Steps[step.ID].Last(), progress.Numbers(s.Checkout.Doc.Events, step.ID)
	if t.First = n.Before + 1; last.Kind != journal.Failed {
		return true
	}
	if t.First = max(n.Last, t.First); !last.Stopped {
		t.First = n.Last + 1
	}
	t.Attempts = max(t.Attempts+t.Asked-(t.First-n.Before)+1, 1)
	// Only from an attempt that this clone kept itself, under this step's name; a command cannot continue from one.
	own := journal.AttemptPrefix + s.Checkout.Doc.ID + "/" + step.ID + "/"
	if !s.Clean && step.Run == "" && strings.HasPrefix(last.Kept, own) && !strings.Contains(last.Kept, "..") {
		t.Kept = work.KeptBy(ctx, s.Checkout, last.Kept)
	}
	return t.First == n.Before+1
}

// recall tells a task why its step was reopened, and why its last attempt failed. A question counts as no attempt.
func (s *Steps) recall(step *plan.Step, t *work.Task) {
	reopened := false
	for _, e := range slices.Backward(s.Checkout.Doc.Events) {
		if !slices.Contains(e.Steps, step.ID) {
			continue
		}
		failed := e.Kind == journal.Failed || e.Kind == journal.Blocked && reopened
		switch {
		case e.Kind == journal.Reopened && !reopened:
			reopened = true
			if e.Answers == 0 { // an answer is in the step
				t.Reopened = e.Reason
			}
		case !failed && e.Kind != journal.Started:
			return
		case e.Question && !reopened:
			t.Asked++
		case failed && t.Failure == "" && !e.Stopped && !e.Question:
			t.Failure = e.Reason
		}
	}
}

// guarding returns the guard of a task: did the step do what it was to? A person's commits since from, if any, count.
func (s *Steps) guarding(step *plan.Step,
	from string) func(context.Context, workspace.Changeset) (workspace.Guarded, error) {
	return func(ctx context.Context, c workspace.Changeset) (workspace.Guarded, error) {
		whole, err := c, error(nil)
		if from == journal.None {
			from = s.Checkout.Repo.EmptyTree()
		}
		if from != "" && (step.Action != "" || len(step.Creates) > 0) {
			whole.Diff, err = git.DiffTrees(ctx, s.Checkout.Repo, from, c.Tree)
		}
		if err != nil {
			return workspace.Guarded{}, err
		}
		if wrong := s.actionUndone(ctx, step, whole); wrong != "" {
			return workspace.Guarded{Failing: []string{wrong}}, nil
		}
		return s.Guard(ctx, s.Checkout, step, c)
	}
}

// actionUndone says what a step was to do to one of its files and did not. One that is done again may change nothing.
func (s *Steps) actionUndone(ctx context.Context, step *plan.Step, c workspace.Changeset) string {
	for _, path := range plan.Literals(step.Files) {
		undone, action := false, step.ActionOn(path)
		switch action {
		case "create", "delete":
			_, missing := s.Checkout.Repo.Resolve(ctx, c.Tree+":"+strings.TrimSuffix(strings.TrimPrefix(path, "./"), "/"))
			undone = (missing != nil) == (action == "create")
		case "modify":
			touched := slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool { return plan.MatchesAny([]string{path}, f.Path) })
			undone = !touched && s.Checkout.Progress.Work[step.ID] == ""
		}
		if undone {
			return fmt.Sprintf("the step is to %s %s, and it did not", action, visible.OneLine(path, 200))
		}
	}
	return ""
}

// inTheWay refuses a step that would write a person's untracked or ignored file: its commit would lack that.
func (s *Steps) inTheWay(ctx context.Context, before *worktree.Status, step *plan.Step) error {
	for _, path := range before.Untracked {
		if plan.MatchesAny(step.Files, path) {
			return fault.AtStep(fault.ErrInTheWay, step.ID, "%s is not tracked, and step %s is to write it", path, step.ID)
		}
	}
	ignored := worktree.SetOf(before.Ignored)
	for _, path := range plan.Literals(step.Files) {
		info, err := os.Lstat(filepath.Join(s.Checkout.Repo.Top, path))
		if err != nil || info.IsDir() || step.Run != "" || !filepath.IsLocal(path) || !ignored.Has(path) {
			continue
		}
		if _, err := s.Checkout.Repo.Resolve(ctx, before.Head+":"+path); before.Head == "" || err != nil {
			return fault.AtStep(fault.ErrInTheWay, step.ID, "git ignores %s, and step %s is to write it", path, step.ID)
		}
	}
	return nil
}

// prerequisites runs the commands that must exit 0 before the first step, in the work tree.
func (s *Steps) prerequisites(ctx context.Context, ws *workspace.Workspace) error {
	if slices.ContainsFunc(s.Checkout.Doc.Events, func(e journal.Event) bool { return e.Kind == journal.Started }) {
		return nil
	}
	err := ws.Check(ctx, "verify", journal.Notice{}, plan.Commands(s.Checkout.Doc.Plan.Prerequisites),
		func(runner.Ended) {})
	if f, ok := errors.AsType[*runner.CheckFailure](err); ok {
		return &fault.Fault{Kind: fault.ErrChecksFailed, Text: "a prerequisite of the plan is not met: " + f.Error()}
	}
	return err
}
