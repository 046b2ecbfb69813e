package gitplan

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Autostash stashes the user's changes while do runs, if asked, and restores them afterwards; also
// what a run that was killed had stashed. Changes that no longer fit go to git's stash.
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

// stash takes the user's changes out of the tree.
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

// unstash restores the stash, unless a session's work is still in the tree: the next step keeps that first.
func (s *Steps) unstash(ctx context.Context, stash checkout.Stash) error {
	c := s.Checkout
	if stash.Commit == "" {
		return nil
	}
	if c.SessionsTree() {
		s.note("your changes stay set aside until the work of the session is settled")
		return nil
	}
	err := worktree.Unstash(ctx, c.Repo, stash.Commit)
	if errors.Is(err, worktree.ErrConflict) {
		return s.conflicting(ctx, stash)
	}
	if err != nil {
		return &fault.Fault{Kind: fault.ErrNotRestored, Next: "git stash apply --index " + stash.Kept + "^2", Cause: err,
			Text: fmt.Sprintf("your changes are not in the tree yet, but kept as %s: %s", stash.Kept, visible.FirstLine(err.Error()))}
	}
	checkout.ForgetStash(ctx, c, stash, true)
	s.note("your changes are back in the tree")
	return nil
}

// conflicting puts changes that no longer fit on git's stash, as git rebase --autostash does.
func (s *Steps) conflicting(ctx context.Context, stash checkout.Stash) error {
	const entry = "stash@{0}"
	c := s.Checkout
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
