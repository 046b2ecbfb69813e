package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Next opens a step for whoever works here without an agent, and returns it with the prompt that
// a session would have been given. A step that is already open is returned again. What the tree
// holds then is the person's: no command cleans it up.
func (s *Steps) Next(ctx context.Context, name string) (*plan.Step, string, error) {
	asked, err := s.named(name)
	if err != nil {
		return nil, "", err
	}
	if open, ok := s.Checkout.OpenByNext(); ok {
		step, found := s.Checkout.Doc.Plan.Step(open)
		if asked != nil && asked.ID != open {
			return nil, "", &fault.Fault{Kind: fault.ErrOpenByNext, Step: open, Text: fmt.Sprintf("step %s is open by git plan next", open)}
		}
		if found {
			journal.MarkOpen.Set(s.Checkout.Repo, s.Checkout.Doc.ID)
			return step, s.prompt(ctx, step), nil
		}
	}
	p, err := s.readyByHand(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := s.prerequisites(ctx, p); err != nil {
		return nil, "", err
	}
	step, err := s.choose(name)
	if err != nil {
		return nil, "", err
	}
	if err := s.inTheWay(ctx, p.Before, step); err != nil {
		return step, "", err
	}
	if err := p.RememberUntracked(ctx, step.ID); err != nil {
		return step, "", err
	}
	err = s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: journal.Event{
		Kind: journal.Started, Steps: []string{step.ID}, Head: journal.OrNone(p.Before.Head), Attempt: 1, By: journal.ByPerson,
	}})
	if err != nil {
		return step, "", err
	}
	journal.MarkOpen.Set(s.Checkout.Repo, s.Checkout.Doc.ID)
	return step, s.prompt(ctx, step), nil
}

// prompt returns what a person reads of a step: no code, since they have that before them.
func (s *Steps) prompt(ctx context.Context, step *plan.Step) string {
	return s.Checkout.StepPrompt(ctx, step)(prompt.Attempt{N: 1}).User
}

// Drop closes the step that is open by next, and leaves the tree alone; left reports whether the
// tree holds something of the person's.
func (s *Steps) Drop(ctx context.Context) (open string, left bool, err error) {
	open, ok := s.Checkout.OpenByNext()
	if !ok {
		return "", false, fault.New(fault.ErrNotOpen, "no step is open by git plan next")
	}
	if err := s.healIndex(ctx); err != nil {
		return open, false, err
	}
	now, err := worktree.ReadStatus(ctx, s.Checkout.Repo)
	if err != nil {
		return open, false, err
	}
	left = !workspace.ByHand(s.Worker.Runner, now).Left().Empty()
	if err := s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: journal.Event{
		Kind: journal.Failed, Steps: []string{open}, Head: journal.None, Attempt: 1, By: journal.ByPerson, Reason: "dropped",
	}}); err != nil {
		return open, left, err // it is still open, and what was there before it is known
	}
	workspace.Forget(s.Runner.Checkout)
	journal.MarkOpen.Clear(s.Checkout.Repo, s.Checkout.Doc.ID)
	return open, left, s.Checkout.Derive(ctx)
}

// Done ends the step that is open by next: runs its checks, commits what is
// left in the tree, and ticks it. Commits that the person made stay as they are.
func (s *Steps) Done(ctx context.Context, name string) (*plan.Step, work.Outcome, error) {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return nil, work.Outcome{}, err
	}
	defer release()
	asked, err := s.named(name)
	if err != nil {
		return nil, work.Outcome{}, err
	}
	open, ok := s.Checkout.OpenByNext()
	if !ok {
		return nil, work.Outcome{}, fault.New(fault.ErrNotOpen, "no step is open by git plan next")
	}
	step, _ := s.Checkout.Doc.Plan.Step(open)
	if asked != nil && asked.ID != open {
		return nil, work.Outcome{}, &fault.Fault{Kind: fault.ErrOpenByNext, Step: open, Text: fmt.Sprintf("step %s is open by git plan next, not %s", open, asked.ID)}
	}
	if err := Endable(s.Runner.Checkout, open); err != nil {
		return step, work.Outcome{}, err
	}
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return step, work.Outcome{}, err
	}
	if waits, err := s.Checkout.NotApproved(); err != nil || waits.WaitsFor(open) {
		return step, work.Outcome{}, cmp.Or(err, s.Checkout.RequireApproval())
	}
	began := s.Checkout.Progress.Steps[open].Last()
	out, err := s.finishOwn(ctx, step, began)
	return step, out, err
}

// Endable refuses to end a step that is open by next if a step it needs was undone since, or the
// plan no longer has it.
func Endable(c *checkout.Checkout, open string) error {
	step, ok := c.Doc.Plan.Step(open)
	switch {
	case !ok:
		return &fault.Fault{Kind: fault.ErrNotEndable, Step: open, Text: fmt.Sprintf("the plan has no step %s any more", open)}
	case !c.Progress.Met(step):
		return &fault.Fault{Kind: fault.ErrNotEndable, Step: open, Text: fmt.Sprintf("step %s needs %s first", open, strings.Join(unmet(c, step), ", "))}
	}
	return nil
}

// finishOwn checks and commits the person's own work on a step.
func (s *Steps) finishOwn(ctx context.Context, step *plan.Step, began journal.Event) (work.Outcome, error) {
	if err := s.Runner.Unlocked(false); err != nil {
		return work.Outcome{}, err
	}
	if err := s.healIndex(ctx); err != nil {
		return work.Outcome{}, err
	}
	now, err := worktree.ReadStatus(ctx, s.Checkout.Repo)
	if err != nil {
		return work.Outcome{}, err
	}
	p := workspace.ByHand(s.Worker.Runner, now)
	t, left := s.ownTask(step, began), p.Left()
	out := work.Outcome{Status: agent.Done, Attempts: 1}
	if left.Empty() { // everything is committed, or there was nothing to change
		if journal.OrNone(p.Before.Head) == began.Head && len(plan.Commands(step.Checks)) == 0 {
			return out, &fault.Fault{Kind: fault.ErrNothingDone, Step: step.ID, Text: fmt.Sprintf("nothing was changed, and step %s has no command that could show that it is done", step.ID)}
		}
		if err := s.Worker.Attempt(p, t, prompt.Attempt{N: 1}).RunChecks(ctx); err != nil {
			return out, unpassed(ctx, step, err.Error())
		}
		if wrong, err := s.ownActionUndone(ctx, step, began, cmp.Or(p.Before.Head, s.Checkout.Repo.EmptyTree())); err != nil || wrong != "" {
			return out, cmp.Or(err, unpassed(ctx, step, wrong))
		}
		if out.Commit = p.Before.Head; journal.OrNone(p.Before.Head) == began.Head {
			out.Commit = journal.None
		}
	} else {
		v, reported, err := s.judgeOwn(ctx, p, t, left)
		if err != nil {
			return out, err
		}
		if v.Failure != nil {
			return out, unpassed(ctx, step, strings.TrimSpace(v.Failure.Error()))
		}
		out.Commit, out.Reported = v.Commit, reported
	}
	if err := s.tick(ctx, step.ID, journal.Event{Head: journal.OrNone(out.Commit), Attempt: 1, By: journal.ByPerson, Reason: strings.Join(out.Reported, "; ")}); err != nil {
		return out, err // it is still open
	}
	workspace.Forget(s.Runner.Checkout)
	journal.MarkOpen.Clear(s.Checkout.Repo, s.Checkout.Doc.ID)
	return out, nil
}

// unpassed is why a person's work is not done yet.
func unpassed(ctx context.Context, step *plan.Step, why string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &fault.Fault{Kind: fault.ErrChecksFailed, Step: step.ID, Text: why}
}

// ownTask is the part of a step's task that judges the work.
func (s *Steps) ownTask(step *plan.Step, began journal.Event) work.Task {
	return work.Task{
		Name: step.ID, Subject: step.Title, Unchanged: true,
		Trailer: fmt.Sprintf("%s: %s/%s", journal.StepTrailer, s.Checkout.Doc.ID, step.ID),
		Checks:  plan.Commands(step.Checks, s.Checkout.Doc.Plan.Checks), Accepted: progress.Accepted(s.Checkout.Doc.Events),
		Guard: func(ctx context.Context, c workspace.Changeset) (workspace.Guarded, error) {
			if wrong, err := s.ownActionUndone(ctx, step, began, c.Tree); err != nil || wrong != "" {
				return workspace.Guarded{Failing: []string{wrong}}, err
			}
			return s.Guard(ctx, step, c)
		},
		Record: nil, // the step stays the person's until it is done
	}
}

// ownActionUndone is actionUndone for work by hand: commits of the person's own that
// were made since next are part of it.
func (s *Steps) ownActionUndone(ctx context.Context, step *plan.Step, began journal.Event, tree string) (string, error) {
	if step.Action == "" && len(step.Creates) == 0 {
		return "", nil
	}
	from := began.Head
	if from == journal.None {
		from = s.Checkout.Repo.EmptyTree()
	}
	d, err := git.DiffTrees(ctx, s.Checkout.Repo, from, tree)
	if err != nil {
		return "", err
	}
	return s.actionUndone(ctx, step, workspace.Changeset{Tree: tree, Diff: d}), nil
}

// What done judges is all of the person's work, so all of it is staged. If done is refused the
// index becomes what it was: what they had staged, and nothing else.

func ownIndexPath(c *checkout.Checkout) string {
	return filepath.Join(c.Repo.GitDir, "plan", "index", c.Doc.ID)
}

// judgeOwn judges a person's own work, and returns what is to be reported of it.
func (s *Steps) judgeOwn(ctx context.Context, p *workspace.Workspace, t work.Task, left *workspace.Leftover) (v work.Verdict, reported []string, err error) {
	saved := ownIndexPath(s.Runner.Checkout)
	if err := worktree.SaveIndex(s.Checkout.Repo, saved); err != nil {
		return v, nil, err
	}
	p.BeginByHand()
	a := s.Worker.Attempt(p, t, prompt.Attempt{N: 1})
	v, err = a.Judge(ctx, left)
	if head, _ := s.Checkout.Repo.Resolve(context.WithoutCancel(ctx), "HEAD^{commit}"); head == p.Before.Head {
		err = errors.Join(err, worktree.LoadIndex(s.Checkout.Repo, saved))
	}
	_ = os.Remove(saved)
	return v, a.Notes(), err
}

// healIndex restores the person's index after a crash, if it holds nothing but what done had
// staged.
func (s *Steps) healIndex(ctx context.Context) error {
	saved := ownIndexPath(s.Runner.Checkout)
	if _, err := os.Stat(saved); err != nil {
		return nil
	}
	note := s.Checkout.TaskState()
	head, _ := s.Checkout.Repo.Resolve(ctx, "HEAD^{commit}")
	if staged, err := worktree.StagedTree(ctx, s.Checkout.Repo); err == nil && staged == note.Tree && journal.OrNone(head) == note.Head {
		if err := worktree.LoadIndex(s.Checkout.Repo, saved); err != nil {
			return err
		}
	}
	return os.Remove(saved)
}
