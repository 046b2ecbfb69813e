package gitplan

import (
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
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
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
		if err = context.Cause(ctx); err == nil {
			err = &fault.Fault{Kind: fault.ErrChecksFailed, Step: step.ID, Text: strings.TrimSpace(v.Failure.Error())}
		}
	}
	if out.Commit, out.Reported = v.Commit, a.Notes; v.Commit == journal.None && changes.Empty() && !unchanged {
		out.Commit = head // the person's own
	}
	return out, err
}

// Autostash stashes the user's changes while do runs, if asked, and restores them and what a killed run had stashed.
func (s *Steps) Autostash(ctx context.Context, asked bool, do func() error) (err error) {
	c := s.Checkout
	stash := checkout.Stashed(c, c.Doc.ID)
	if stash.Commit != "" {
		if _, err := c.Repo.ReadCommit(ctx, stash.Commit); err != nil {
			checkout.ForgetStash(ctx, c, stash, false)
			s.note("the changes that --autostash set aside are no longer in the repository")
			stash = checkout.Stash{}
		}
	}
	if stash.Commit == "" && !asked {
		return do()
	}
	if err := c.RequirePlace(ctx); err != nil {
		return err
	}
	if !c.SessionsTree() {
		if stash.Commit != "" {
			if err := worktree.PutAwayStash(ctx, c.Repo, stash.Commit); err != nil {
				return err
			}
		}
		if asked {
			if err := s.unstash(ctx, stash); err != nil { // to stash it together with what came since
				return err
			}
			if stash, err = s.stash(ctx); err != nil {
				return err
			}
		}
	}
	err = do()
	return errors.Join(err, s.unstash(context.WithoutCancel(ctx), stash))
}

func (s *Steps) note(text string) {
	s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: text})
}

func (s *Steps) stash(ctx context.Context) (stash checkout.Stash, err error) {
	if err := s.Runner.Unlocked(false); err != nil {
		return stash, err
	}
	status, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err != nil || status.Clean() {
		return stash, err
	}
	if len(status.Unmerged()) > 0 || status.Head == "" { // git stash leaves these out
		return stash, workspace.Dirty(status)
	}
	if err := workspace.Dirty(status); errors.Is(err, fault.ErrSubmodules) {
		return stash, err
	}
	paths, err := worktree.Unstashable(ctx, s.Checkout.Repo, status)
	if err != nil {
		return stash, err
	}
	if len(paths) > 0 {
		return stash, fault.New(fault.ErrNotAside,
			"git stash would not bring these files back, so nothing is set aside: %s", visible.Few(paths))
	}
	err = worktree.Stash(ctx, s.Checkout.Repo, func(commit string) (err error) {
		stash, err = checkout.KeepStash(ctx, s.Checkout, commit, status.Head)
		return err
	})
	return stash, err
}

// unstash restores the stash, or, as git rebase --autostash does, puts changes that no longer fit on git's stash.
func (s *Steps) unstash(ctx context.Context, stash checkout.Stash) error {
	c := s.Checkout
	if stash.Commit == "" {
		return nil
	}
	if c.SessionsTree() { // the next step keeps that first
		s.note("your changes stay set aside until the work of the session is settled")
		return nil
	}
	err := worktree.Unstash(ctx, c.Repo, stash.Commit)
	if err == nil {
		checkout.ForgetStash(ctx, c, stash, true)
		s.note("your changes are back in the tree")
		return nil
	}
	if !errors.Is(err, worktree.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrNotRestored, Next: "git stash apply --index " + stash.Kept + "^2", Cause: err,
			Text: fmt.Sprintf("your changes are not in the tree yet, but kept as %s: %s", stash.Kept, visible.FirstLine(err.Error()))}
	}
	const entry = "stash@{0}"
	store := []string{"stash", "store", "--quiet", "--message", "On " + c.Branch + ": git plan --autostash", stash.Commit}
	if err := c.Repo.Run(ctx, git.Command{Args: store, Writes: true}); err != nil {
		return err
	}
	checkout.ForgetStash(ctx, c, stash, false)
	now, err := worktree.ReadStatus(ctx, c.Repo)
	if err != nil {
		return err
	}
	if unmerged := now.Unmerged(); len(unmerged) > 0 {
		return &fault.Fault{Kind: fault.ErrStashConflict, Name: entry,
			Text: fmt.Sprintf("your changes conflict with the new commits; not merged: %s; git's stash has them, too, as %s",
				visible.Few(unmerged), entry)}
	}
	return &fault.Fault{Kind: fault.ErrStashed, Next: "git stash pop " + entry,
		Text: fmt.Sprintf("your changes do not apply to the new commits; they are not in the tree, but in git's stash, as %s",
			entry)}
}
