package gitplan

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Next opens a step for a person who works here, or finds it open, and returns it with the prompt of a session.
func (s *Steps) Next(ctx context.Context, name string) (*plan.Step, string, error) {
	asked, err := s.named(name)
	if err != nil {
		return nil, "", err
	}
	told := func(step *plan.Step) (*plan.Step, string, error) { // no code: the person has it
		journal.MarkOpen.Set(s.Checkout.Repo, s.Checkout.Doc.ID)
		return step, s.Checkout.StepPrompt(ctx, step)(prompt.Attempt{N: 1, Of: 1}).User, nil
	}
	if open, ok := s.Checkout.OpenByNext(); ok {
		step, found := s.Checkout.Doc.Plan.Step(open)
		if asked != nil && asked.ID != open {
			return nil, "", fault.AtStep(fault.ErrOpenByNext, open, "step %s was opened by git plan next", open)
		}
		if found {
			return told(step)
		}
	}
	ws, err := s.readyByHand(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := s.prerequisites(ctx, ws); err != nil {
		return nil, "", err
	}
	step, err := s.choose(name)
	if err != nil {
		return nil, "", err
	}
	if step.Run != "" { // on a person's word it would be done without having run
		return step, "", fault.AtStep(fault.ErrIsCommand, step.ID, "step %s is a command, which git plan runs", step.ID)
	}
	if err := s.inTheWay(ctx, ws.Before, step); err != nil {
		return step, "", err
	}
	if err := ws.RecordUserFiles(ctx, step.ID); err != nil {
		return step, "", err
	}
	if err := s.apply(ctx, journal.Event{
		Kind: journal.Started, Steps: []string{step.ID}, Head: journal.OrNone(ws.Before.Head), Attempt: 1, By: journal.ByPerson,
	}); err != nil {
		return step, "", err
	}
	return told(step)
}

// Drop closes the step that was opened by next; left reports whether the tree, which stays, holds the person's work.
func (s *Steps) Drop(ctx context.Context) (open string, left bool, err error) {
	open, ok := s.Checkout.OpenByNext()
	if !ok {
		return "", false, fault.New(fault.ErrNotOpen, "no step was opened by git plan next")
	}
	ws, err := s.byHand(ctx)
	if err != nil {
		return open, false, err
	}
	left = !ws.Changes().Empty()
	if err := s.apply(ctx, journal.Event{
		Kind: journal.Failed, Steps: []string{open}, Head: journal.None, Attempt: 1, By: journal.ByPerson, Reason: "dropped",
	}); err != nil {
		return open, left, err // it is still open
	}
	s.close()
	return open, left, s.Checkout.Derive(ctx)
}

func (s *Steps) close() {
	s.Checkout.Task().Forget()
	journal.MarkOpen.Clear(s.Checkout.Repo, s.Checkout.Doc.ID)
}

// Done checks, commits and ticks the step opened by next; one whose session changed nothing on the person's word.
func (s *Steps) Done(ctx context.Context, name string) (step *plan.Step, out work.Outcome, err error) {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return nil, out, err
	}
	defer release()
	asked, err := s.named(name)
	if err != nil {
		return nil, out, err
	}
	if asked != nil && s.Checkout.Progress.Steps[asked.ID].Unchanged() {
		last := s.Checkout.Progress.Steps[asked.ID].Last()
		return asked, work.Outcome{Commit: journal.None}, s.tick(ctx, asked.ID, journal.Event{
			Head: journal.None, Attempt: last.Attempt, By: journal.ByPerson, Summary: last.Summary,
			Reason: "a person found it right as it is",
		})
	}
	open, ok := s.Checkout.OpenByNext()
	if !ok {
		return nil, out, fault.New(fault.ErrNotOpen, "no step was opened by git plan next")
	}
	step, _ = s.Checkout.Doc.Plan.Step(open)
	if asked != nil && asked.ID != open {
		return nil, out, fault.AtStep(fault.ErrOpenByNext, open,
			"step %s was opened by git plan next, not %s", open, asked.ID)
	}
	if step == nil {
		return step, out, fault.AtStep(fault.ErrNotEndable, open, "the plan has no step %s any more", open)
	}
	if unmet := s.Checkout.Progress.Unmet(step); len(unmet) > 0 { // what it needs was undone since
		return step, out, fault.AtStep(fault.ErrNotEndable, open, "step %s needs %s first", open, strings.Join(unmet, ", "))
	}
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return step, out, err
	}
	if waits, err := s.Checkout.NotApproved(); err != nil {
		return step, out, err
	} else if waits.WaitsFor(open) {
		return step, out, s.Checkout.RequireApproval()
	}
	if err := s.Runner.Unlocked(false); err != nil {
		return step, out, err
	}
	ws, err := s.byHand(ctx)
	if err != nil {
		return step, out, err
	}
	if out, err = s.judgeOwn(ctx, ws, step); err != nil {
		return step, out, err
	}
	if err := s.tick(ctx, step.ID, journal.Event{Head: journal.OrNone(out.Commit), Attempt: 1, By: journal.ByPerson,
		Reason: strings.Join(out.Reported, "; ")}); err != nil {
		return step, out, err // it is still open
	}
	s.close()
	return step, out, nil
}

// byHand returns a person's workspace. After a crash their index is restored, if it holds only what done had staged.
func (s *Steps) byHand(ctx context.Context) (*workspace.Workspace, error) {
	saved := s.savedIndex()
	if _, err := os.Stat(saved); err == nil {
		state := s.Checkout.Task().State()
		head, _ := s.Checkout.Repo.Resolve(ctx, "HEAD^{commit}")
		staged, err := worktree.StagedTree(ctx, s.Checkout.Repo)
		if err != nil && git.Code(err) <= 0 { // with conflicts in the index git cannot tell
			return nil, err
		}
		if err == nil && staged == state.Tree && journal.OrNone(head) == state.Head {
			if err := worktree.LoadIndex(s.Checkout.Repo, saved); err != nil {
				return nil, err
			}
		}
		if err := os.Remove(saved); err != nil {
			return nil, err
		}
	}
	now, err := worktree.ReadStatus(ctx, s.Checkout.Repo)
	if err != nil {
		return nil, err
	}
	ws := workspace.At(s.Runner, now)
	ws.LoadState(ctx)
	return ws, nil
}

func (s *Steps) savedIndex() string {
	return filepath.Join(s.Checkout.Repo.GitDir, "plan", "index", s.Checkout.Doc.ID)
}

// judgeOwn stages, checks and commits all of a person's work on a step. If it is not committed, the index is restored.
func (s *Steps) judgeOwn(ctx context.Context, ws *workspace.Workspace, step *plan.Step) (out work.Outcome, err error) {
	began := s.Checkout.Progress.Steps[step.ID].Last()
	t, changes, head := s.judging(step), ws.Changes(), ws.Before.Head
	t.Unchanged, t.Guard = true, s.guarding(step, began.Head)
	out = work.Outcome{Status: agent.Done, Attempts: 1}
	unchanged := changes.Empty() && journal.OrNone(head) == began.Head
	if unchanged && len(plan.Commands(step.Checks)) == 0 {
		return out, fault.AtStep(fault.ErrNothingDone, step.ID,
			"nothing was changed, and step %s has no command that could show that it is done", step.ID)
	}
	saved := s.savedIndex()
	if err := worktree.CopyIndex(s.Checkout.Repo.IndexFile(), saved); err != nil {
		return out, err
	}
	ws.Watch = ws.Runner.Watch(ws.Target())
	a := s.Worker.Attempt(ws, t, prompt.Attempt{N: 1})
	v, err := a.JudgeAndCommit(ctx, changes)
	var back error
	if now, _ := s.Checkout.Repo.Resolve(context.WithoutCancel(ctx), "HEAD^{commit}"); now == head {
		back = worktree.LoadIndex(s.Checkout.Repo, saved)
	}
	if back == nil {
		_ = os.Remove(saved)
	} else { // the next command restores it
		err = errors.Join(err, back)
	}
	if err == nil && v.Failure != nil {
		failed := &fault.Fault{Kind: fault.ErrChecksFailed, Step: step.ID, Text: strings.TrimSpace(v.Failure.Error())}
		err = cmp.Or[error](context.Cause(ctx), failed)
	}
	if out.Commit, out.Reported = v.Commit, a.Notes; v.Commit == journal.None && changes.Empty() && !unchanged {
		out.Commit = head // the person's own
	}
	return out, err
}

// Baseline runs the plan's Checks where a session would work, before any work, or accepts that one fails; why is how.
func (s *Steps) Baseline(ctx context.Context, accept string) (why string, err error) {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	ws, err := s.readyByHand(ctx)
	if err != nil {
		return "", err
	}
	here, leave, err := ws.Enter(ctx, agent.Executor)
	if err != nil {
		return "", err
	}
	defer leave()
	b, err := work.NewBaseline(ctx, s.Worker, here, workspace.Precheck{Name: "baseline"})
	switch {
	case err != nil:
	case accept == "":
		err = b.PlanChecks(ctx)
	default:
		why, err = b.Accept(ctx, accept)
	}
	s.Checkout.Task().Abandon(err)
	return why, err
}
