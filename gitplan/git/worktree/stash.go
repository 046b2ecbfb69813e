package worktree

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Unstashable returns the changes that git stash would not restore exactly: in submodules, files only meant to be
// added (git add -N), staged files that are missing in the tree, files hidden from git, and untracked files in the
// place of tracked ones. Without any, all changes can be stashed. The status must come from ReadStatusIgnored.
func Unstashable(ctx context.Context, r *git.Repo, s *Status) (paths []string, err error) {
	hidden, err := hiddenFiles(ctx, r)
	if err != nil {
		return nil, err
	}
	var deleted []string
	for _, c := range s.Changed {
		switch {
		case c.Submodule, c.XY == ".A", c.XY == "AD", slices.Contains(hidden, c.Path):
			paths = append(paths, c.Path)
		case strings.Contains(c.XY, "D"):
			deleted = append(deleted, c.Path)
		}
	}
	return append(paths, s.InTheWay(r.Top, deleted)...), nil
}

// Stash takes the changes, none of which may be Unstashable, out of work tree and index; Unstash restores them. note
// is told the commit of the stash before anything is changed, so that it is known even if this process is killed.
func Stash(ctx context.Context, r *git.Repo, note func(stash string) error) error {
	// which could refuse line ends
	stash, err := r.Output(ctx, "-c", "core.safecrlf=false", "stash", "create", "git plan --autostash")
	if err != nil || stash == "" {
		return err
	}
	if err := note(stash); err != nil {
		return err
	}
	return putAwayStash(ctx, r, stash)
}

// putAwayStash resets index and work tree to HEAD if they equal the stash. If something was changed since, git
// refuses to overwrite it, and everything stays.
func putAwayStash(ctx context.Context, r *git.Repo, stash string) (err error) {
	saved, err := OpenIndex(ctx, r)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, saved.Restore())
		}
	}()
	for _, args := range [][]string{
		{"read-tree", "-m", "-i", stash}, {"update-index", "-q", "--refresh"}, {"read-tree", "-m", "-u", stash, "HEAD"},
	} {
		if err := r.Run(ctx, git.Command{Args: args, Writes: true}); err != nil && args[0] == "read-tree" {
			return err
		}
	}
	return nil
}

// PutAwayStash completes a Stash that was killed before it changed anything, if the tree still equals the stash.
func PutAwayStash(ctx context.Context, r *git.Repo, stash string) error {
	s, err := ReadStatus(ctx, r)
	if err != nil || s.Clean() || len(s.Unmerged()) > 0 {
		return err
	}
	staged, err := StagedTree(ctx, r)
	all, unread := Snapshot(ctx, r, s.Unstaged())
	if err = errors.Join(err, unread); err != nil {
		return err
	}
	wasStaged, _ := r.Resolve(ctx, stash+"^2^{tree}")
	was, _ := r.Resolve(ctx, stash+"^{tree}")
	if staged != wasStaged || all != was {
		return nil
	}
	return putAwayStash(ctx, r, stash)
}

// Unstash restores a stash; see Stash. The error is ErrConflict if it no longer fits: files may hold both sides then.
// After any other one the work tree is as it was, and the caller may try again.
func Unstash(ctx context.Context, r *git.Repo, stash string) error {
	return orConflict(r.Run(ctx, git.Command{Args: []string{"stash", "apply", "--quiet", "--index", stash}, Writes: true}))
}
