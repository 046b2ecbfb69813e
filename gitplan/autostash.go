package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Autostash sets the person's changes aside while do runs, if that is asked for, and brings them
// back afterwards; it does the same with what a run that was killed had set aside. Changes that
// no longer fit stay in git's stash.
func (s *Steps) Autostash(ctx context.Context, asked bool, do func() error) error {
	stash, entry := runner.SetAside(ctx, s.Runner.Checkout, s.Checkout.Doc.ID)
	if stash != "" && entry == "" {
		if stash = s.takenAside(ctx, stash); stash != "" {
			s.Clean = true // what is in the tree may be the person's
		}
	}
	if stash == "" && !asked {
		return do()
	}
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return err
	}
	if stash != "" && !s.Checkout.SessionsTree() {
		if err := worktree.PutAwayStash(ctx, s.Checkout.Repo, stash); err != nil {
			return err
		}
	}
	if asked && !s.Checkout.SessionsTree() {
		if err := s.bringBack(ctx, stash); err != nil { // to set it aside together with what came since
			return err
		}
		var err error
		if stash, err = s.putAside(ctx); err != nil {
			return err
		}
	}
	s.Runner.Aside = stash
	return errors.Join(do(), s.bringBack(context.WithoutCancel(ctx), stash))
}

// takenAside returns what is still set aside although it is off the list of git's stash. If what
// a killed session left is still in the tree, that session took it off, and it is put there
// again. Otherwise the person brought it back.
func (s *Steps) takenAside(ctx context.Context, stash string) string {
	if s.Checkout.SessionsTree() && s.Runner.StashAgain(ctx, stash) == nil {
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: "your changes, which --autostash had set aside, were taken off git's stash during the session that was killed (they are there again)"})
		return stash
	}
	a := runner.NotedAside(s.Runner.Checkout, s.Checkout.Doc.ID)
	s.forgetAside(ctx, a, false)
	text := "what --autostash had set aside is no longer in git's stash"
	if kept := cmp.Or(a.Kept, stash); hasCommit(ctx, s.Runner.Checkout, kept) {
		text += "; it is kept as " + kept
	} else {
		text += ", nor anywhere else in the repository"
	}
	s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: text})
	return ""
}

func hasCommit(ctx context.Context, c *checkout.Checkout, commit string) bool {
	_, err := c.Repo.ReadCommit(ctx, commit)
	return err == nil
}

func (s *Steps) putAside(ctx context.Context) (stash string, err error) {
	if err := s.Runner.Unlocked(false); err != nil {
		return "", err
	}
	status, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err != nil || status.Clean() {
		return "", err
	}
	if len(status.Unmerged()) > 0 || status.Head == "" {
		return "", workspace.Dirty(status) // git stashes none of that
	}
	if paths, why, err := worktree.Unstashable(ctx, s.Checkout.Repo, status); err != nil || why != "" {
		return "", cmp.Or(err, fault.New(fault.ErrNotAside, "not set aside: %s: %s", why, visible.Few(paths)))
	}
	return worktree.Stash(ctx, s.Checkout.Repo, status, runner.Autostash, func(stash string) error {
		return s.noteAside(ctx, stash, status)
	})
}

// bringBack brings back what was set aside, but not into a tree with what a session left: the
// next step keeps that first.
func (s *Steps) bringBack(ctx context.Context, stash string) error {
	if stash == "" {
		return nil
	}
	if s.Checkout.SessionsTree() {
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: "your changes stay in git's stash until what the session left is settled"})
		return nil
	}
	a := runner.NotedAside(s.Runner.Checkout, s.Checkout.Doc.ID)
	err := s.unstash(ctx, stash)
	if err == nil {
		err = worktree.PutAsRaw(ctx, s.Checkout.Repo, a.Kept, stash, a.Files, a.Staged)
	}
	if err == nil || errors.Is(err, fault.ErrStashed) || errors.Is(err, fault.ErrStashConflict) {
		s.forgetAside(ctx, a, err == nil)
	}
	if err == nil {
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: "your changes are back in the tree"})
	}
	return err
}

// SetAside returns where what a run that was killed had set aside is, and how it comes back.
func SetAside(ctx context.Context, c *checkout.Checkout) (entry, back string) {
	_, entry = runner.SetAside(ctx, c, c.Doc.ID)
	back = "the next git plan step or run brings them back at its end"
	if !c.SessionsTree() {
		back += ", git stash pop --index " + entry + " at once"
	}
	return entry, back
}

// unstash brings back what Autostash set aside. If it conflicts, the files hold both sides and
// the stash stays, as after git's own rebase --autostash.
func (s *Steps) unstash(ctx context.Context, stash string) error {
	err := worktree.Unstash(ctx, s.Checkout.Repo, stash, runner.Autostash)
	if errors.Is(err, git.ErrMissing) { // taken off the list since, and still the person's
		if err = s.Runner.StashAgain(ctx, stash); err == nil {
			err = worktree.Unstash(ctx, s.Checkout.Repo, stash, runner.Autostash)
		}
	}
	if errors.Is(err, git.ErrMissing) {
		return &fault.Fault{Kind: fault.ErrStashed, Next: "git stash apply --index " + stash, Text: "your changes are no longer on the list of git's stash"}
	}
	if err == nil {
		return nil
	}
	entry, e := worktree.StashEntry(ctx, s.Checkout.Repo, stash, runner.Autostash)
	if e != nil {
		return errors.Join(err, e)
	}
	if !errors.Is(err, worktree.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrNotRestored, Next: "git stash pop --index " + entry, Cause: err,
			Text: fmt.Sprintf("your changes are not in the tree yet, but in git's stash, as %s: %s", entry, visible.FirstLine(err.Error()))}
	}
	now, err := worktree.ReadStatus(ctx, s.Checkout.Repo)
	if err != nil {
		return err
	}
	if unmerged := now.Unmerged(); len(unmerged) > 0 {
		return &fault.Fault{Kind: fault.ErrStashConflict, Name: entry,
			Text: fmt.Sprintf("your changes conflict with what was done; not merged: %s; git's stash has them, too, as %s", visible.Few(unmerged), entry)}
	}
	return &fault.Fault{Kind: fault.ErrStashed, Next: "git stash pop " + entry,
		Text: fmt.Sprintf("your changes do not fit on what was done; they are not in the tree, but in git's stash, as %s", entry)}
}

// noteAside keeps what a stash is about to take out of the tree, and notes that.
func (s *Steps) noteAside(ctx context.Context, stash string, status *worktree.Status) error {
	a := runner.Aside{Stash: stash}
	var paths []string
	unstaged := status.Unstaged()
	for _, p := range status.Paths() {
		if f := worktree.RawFileOf(s.Checkout.Repo, filepath.FromSlash(p)); f.Mode.IsRegular() && !f.Time.IsZero() {
			f.Path = p
			a.Files, paths = append(a.Files, f), append(paths, p)
			if !slices.Contains(unstaged, p) {
				a.Staged = append(a.Staged, p)
			}
		}
	}
	tree, err := worktree.WithRaw(ctx, s.Checkout.Repo, stash+"^{tree}", paths)
	if err != nil {
		return err
	}
	if a.Kept, err = attempts.Keep(ctx, s.Runner.Checkout, tree, []string{status.Head, stash}, runner.AsideName, "what --autostash set aside"); err != nil {
		return err
	}
	data, err := journal.EncodeNote(a)
	if err != nil {
		return err
	}
	return runner.AsideNote(s.Runner.Checkout, s.Checkout.Doc.ID).Write(append([]byte(stash+"\n"), data...))
}

// forgetAside forgets what was set aside. What is kept of it goes only if all of that
// is in the tree again.
func (s *Steps) forgetAside(ctx context.Context, a runner.Aside, back bool) {
	runner.AsideNote(s.Runner.Checkout, s.Checkout.Doc.ID).Remove()
	if oid, err := s.Checkout.Repo.Resolve(ctx, a.Kept); back && a.Kept != "" && err == nil {
		_ = s.Checkout.Repo.DeleteRef(ctx, a.Kept, oid, "plan: brought back")
	}
}
