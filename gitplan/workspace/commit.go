package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// NoteCommit records the commit that is about to be made; the changes of refs belong to the event that says so.
func (w *Workspace) NoteCommit(ctx context.Context, tree, message string) ([]git.RefChange, error) {
	w.state.Phase, w.state.Head, w.state.Tree, w.state.Message = checkout.Checked, journal.OrNone(w.Before.Head), tree, message
	refs, err := w.state.Protect(ctx, w.Checkout)
	if err != nil {
		return nil, err
	}
	return refs, w.Checkout.Task().Note().Save(w.state)
}

// Land brings a tree that NoteCommit recorded into the work tree and calls commit, which ends in Commit, or is a
// *Failure if git or a hook refuses: then the work tree is as it was, and a clone has what the hooks made of it.
func (w *Workspace) Land(ctx context.Context, tree string, commit func() (string, error)) (oid string, err error) {
	c := w.clone
	if c == nil {
		return commit()
	}
	was, err := c.putIntoWorkTree(ctx, w, tree)
	if err != nil {
		return "", err
	}
	w.in = At(w.Runner, was)
	if oid, err = w.in.WatchUserFiles(ctx, w.state.Name, checkout.Landing, commit); oid != "" {
		return oid, err
	}
	left, back := c.takeBack(ctx, w)
	if back == nil && left != "" && left != tree {
		back = worktree.PutTree(context.WithoutCancel(ctx), c.r, tree, left)
	}
	return "", errors.Join(back, err)
}

// FinishCommit commits the tree that was about to be committed in the work tree when git plan was killed.
func (w *Workspace) FinishCommit(ctx context.Context, commit func() (string, error)) (oid string, err error) {
	if err := worktree.ReadTree(ctx, w.Checkout.Repo, w.state.Tree); err != nil {
		return "", Failf("the tree that passed its checks is gone")
	}
	if w.state.Session != "" { // else the files changed by the user's own doing
		defer w.reportTouched(ctx)
	}
	return commit()
}

// Commit commits the recorded tree, which is in the work tree, with hooks; formatted is the tree that they made, or "".
func (w *Workspace) Commit(ctx context.Context, formatted string, said *proc.Tail) error {
	return w.Runner.Commit(ctx, runner.Commit{
		Tree: w.state.Tree, Message: w.state.Message, Formatted: formatted, ByHand: w.byHand(), Own: w.in.state.Has,
		Look: func(ctx context.Context) (*worktree.Status, error) {
			w.Checkout.Repo.MakeTopAccessible()
			s, err := worktree.ReadStatus(ctx, w.Checkout.Repo)
			if err != nil {
				return nil, err
			}
			return w.in.Files.unstage(ctx, s)
		},
	}, said)
}

// Committed returns the commit of the recorded tree; "" if it was not made.
func (w *Workspace) Committed(ctx context.Context) string {
	return w.state.Commit(ctx, w.Checkout.Repo)
}

// putIntoWorkTree puts a tree into the work tree, in which no person has worked, and returns the status before.
func (c *clone) putIntoWorkTree(ctx context.Context, w *Workspace, tree string) (s *worktree.Status, err error) {
	if err = w.Checkout.RequireNoOperation(); err == nil {
		err = journal.FreeOfLocks(w.Checkout.Repo)
	}
	if err == nil {
		s, err = worktree.ReadStatusIgnored(ctx, w.Checkout.Repo)
	}
	switch {
	case err != nil:
		return nil, err
	case s.Branch != w.Checkout.Branch:
		return nil, w.Checkout.LeftBranch(fmt.Sprintf("its work waits on %s for the next %s",
			visible.OneLine(w.Checkout.Branch, 200), w.state.CommitCommand()))
	case s.Head != w.Before.Head:
		return nil, w.MovedOn()
	case !s.Clean():
		return nil, fault.New(fault.ErrSetAside, "%s; the session's work waits for the next %s", Dirty(s), w.state.CommitCommand())
	}
	change, err := w.Changeset(ctx, tree)
	if err != nil {
		return nil, err
	}
	var written []string
	for _, f := range change.Diff.Files {
		if f.Status != 'D' {
			written = append(written, f.Path)
		}
	}
	if inTheWay := s.InTheWay(w.Checkout.Repo.Top, written); len(inTheWay) > 0 {
		return nil, Failf("it created files that already exist, untracked, in the person's work tree: %s",
			visible.OneLine(strings.Join(inTheWay, ", "), 400))
	}
	w.state.Phase, w.state.Tree = checkout.Landing, tree
	if err := w.state.Record(ctx, w.Checkout); err != nil {
		return nil, err
	}
	if err = worktree.PutTree(ctx, w.Checkout.Repo, w.Before.Head, tree); err == nil {
		return s, nil
	}
	if _, back := c.takeBack(ctx, w); back != nil {
		return nil, errors.Join(err, back)
	}
	if errors.Is(err, worktree.ErrConflict) && ctx.Err() == nil {
		return nil, Failf("its work cannot be applied to the work tree: files there have changed, or untracked files are in the way")
	}
	return nil, err
}

// MovedOn returns the error for work that waits because its branch has moved.
func (w *Workspace) MovedOn() error {
	return fault.New(fault.ErrMovedBranch, "someone committed to %s while a session was working on it; its work waits for the next %s", w.Checkout.Branch, w.state.CommitCommand())
}

// takeBack undoes putIntoWorkTree, and returns the tree that was there; "" if HEAD has moved, since it was committed.
func (c *clone) takeBack(ctx context.Context, w *Workspace) (left string, err error) {
	if ctx.Err() != nil { // which stopped a git of ours halfway
		if err := journal.FreeOfLocks(w.Checkout.Repo); err != nil {
			return "", err
		}
		ctx = context.WithoutCancel(ctx)
	}
	s, err := worktree.ReadStatus(ctx, w.Checkout.Repo)
	if err != nil || s.Head != w.Before.Head {
		return "", err
	}
	change, err := w.Changeset(ctx, w.state.Tree)
	if err != nil {
		return "", err
	}
	landed := s.Staged() // what else changed since is the person's
	for _, path := range append(s.Unstaged(), s.Untracked...) {
		if change.Touches(path) {
			landed = append(landed, path)
		}
	}
	if left, err = worktree.Snapshot(ctx, w.Checkout.Repo, landed); err != nil {
		return "", err
	}
	if err := worktree.RestorePaths(ctx, w.Checkout.Repo, w.Before.Head, landed); err != nil {
		return "", err
	}
	w.state.Phase = checkout.Checked
	return left, w.state.Record(ctx, w.Checkout)
}

// Rebase puts a tree that passed, to be judged again, on top of newer commits; ErrMovedBranch if both changed a file.
func (w *Workspace) Rebase(ctx context.Context, head, tree, message string) error {
	w.state.Phase, w.state.Head, w.state.Tree, w.state.Message = checkout.Rebasing, journal.OrNone(w.Before.Head), tree, message
	if err := w.state.Record(ctx, w.Checkout); err != nil {
		return err
	}
	c := w.clone
	if c == nil {
		return w.MovedOn()
	}
	alike := append(worktree.Submodules(c.r), w.Watch.Setup.Below(c.r.Top)...) // they must be so in both commits
	differ := git.Command{Args: append([]string{"--literal-pathspecs", "diff-tree", "--quiet", "-r",
		w.Before.Head, head, "--"}, alike...)}
	if w.Before.Head == "" || len(alike) > 0 && w.Checkout.Repo.Run(ctx, differ) != nil {
		return w.MovedOn()
	}
	err := worktree.Rebase(ctx, c.r, w.Before.Head, tree, head)
	if errors.Is(err, worktree.ErrConflict) {
		return w.MovedOn()
	}
	if err == nil {
		w.index, err = worktree.OpenIndex(ctx, c.r)
	}
	if err != nil {
		return err
	}
	now := *w.Before
	now.Head = head
	w.Before = &now
	return nil
}
