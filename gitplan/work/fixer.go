package work

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// RecoverFix keeps the work of an interrupted fixer, or work that waits to be committed; the caller has the plan's
// lock. waited is the ref of work that has waited on this branch, see LeftByFixer.
func (w *Worker) RecoverFix(ctx context.Context) (waited string, err error) {
	state := w.Checkout.TaskState()
	if w.Checkout.Doc == nil {
		if err := w.mayRecoverFix(ctx, state); err != nil {
			return "", err
		}
	}
	if state.Name == "" && w.Checkout.Slot == "" { // a slot uses its clone again
		workspace.DiscardClone(w.Checkout)
	}
	if !state.Fix() {
		return "", nil
	}
	if err := w.Runner.Unlocked(true); err != nil {
		return "", err
	}
	now, err := worktree.ReadStatusIgnored(ctx, w.Checkout.Repo)
	if err != nil {
		return "", err
	}
	return w.KeepTask(ctx, workspace.At(w.Runner, now), state)
}

// mayRecoverFix refuses if the task of a fixer without a plan is not this review's: it is running, or it worked on
// another branch, and the tree may hold the person's work on this one.
func (w *Worker) mayRecoverFix(ctx context.Context, state checkout.TaskState) error {
	if err := w.Checkout.RequireNoOtherReview(); err != nil || state.Name == "" || state.Branch == w.Checkout.Branch {
		return err
	}
	s, err := worktree.ReadStatus(ctx, w.Checkout.Repo)
	if err != nil {
		return err
	}
	added := slices.ContainsFunc(s.Untracked, func(path string) bool { return workspace.Added(&state, path) })
	if !s.Clean() || !state.InClone() && added {
		return fault.New(fault.ErrFixElsewhere, "a fixer on branch %s was interrupted; whether what is in the tree is its work is unknown here", state.Branch)
	}
	return nil
}

// KeepTask keeps the work of a task that no step continues. waited is the ref of a waiting fix with which the next
// fixer begins; it keeps waiting while the work tree cannot take it.
func (w *Worker) KeepTask(ctx context.Context, ws *workspace.Workspace, state checkout.TaskState) (waited string, err error) {
	if state.Commit(ctx, w.Checkout.Repo) != "" {
		workspace.Forget(w.Checkout) // it was committed
		return "", nil
	}
	if !state.AwaitsCommit() || !state.Fix() || state.InOtherWorktree(w.Checkout.Repo.Top) {
		if _, err = ws.KeepLeft(ctx, state.Head); err == nil {
			workspace.Forget(w.Checkout)
		}
		return "", err
	}
	if !ws.Before.Clean() {
		return "", nil
	}
	kept, err := ws.KeepPassed(ctx)
	if err != nil {
		return "", err
	}
	w.Runner.ReportLeft(state.Name, "the waiting work is kept as "+kept)
	if state.Branch != w.Checkout.Branch {
		return "", nil
	}
	return kept, nil
}

// Left is what a fixer may go on from.
type Left struct {
	Commit *git.Commit // nil if there is nothing
	Ref    string      // that keeps it
	Passed string      // the message of the commit that it was about to become, if it had passed its checks
	Waited bool        // until this command: the next fixer applies it to the current branch
}

// LeftByFixer returns the work from which the next fixer of a name may continue, on a branch at a commit: work that
// has waited until this command, or the last fixer's work if it was interrupted or waited there.
func LeftByFixer(ctx context.Context, c *checkout.Checkout, name, head, waited string) Left {
	ofVerification := name == journal.FixName(0) // not a review's
	if waited != "" && strings.Contains(waited, "/"+journal.FixName(0)+"/") == ofVerification {
		if kept, err := c.Repo.ReadCommit(ctx, waited); err == nil {
			return Left{Commit: &kept, Ref: waited, Passed: checkout.RepairMessage(kept), Waited: true}
		}
	}
	all, err := checkout.KeptAttempts(ctx, c, name)
	if err != nil || len(all) == 0 {
		return Left{}
	}
	last := all[len(all)-1]
	kept, err := c.Repo.ReadCommit(ctx, last.Commit)
	if err != nil || len(kept.Parents) == 0 || kept.Parents[0] != head {
		return Left{}
	}
	l := Left{Commit: &kept, Ref: last.Ref}
	if !ofVerification { // which asks for the same every time: a person may have reverted it
		l.Passed = checkout.RepairMessage(kept)
	}
	if l.Passed == "" && !strings.HasPrefix(last.Reason, journal.Interrupted) {
		return Left{}
	}
	return l
}
