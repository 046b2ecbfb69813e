package worktree

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Rebase merges, by path, a tree that is staged and checked out here with what others have made of
// base meanwhile: files that only they changed become as theirs has them, staged. HEAD stays. The
// error is ErrConflict if both sides changed a file, or if one is in the way: index and files are
// then neither the one nor the other.
func Rebase(ctx context.Context, r *git.Repo, base, tree, theirs string) error {
	err := r.Run(ctx, git.Command{Args: []string{"read-tree", "-m", "--aggressive", "-u", base, tree, theirs}, Writes: true})
	if git.Code(err) > 0 && !errors.Is(err, git.ErrLocked) {
		return ErrConflict
	}
	if err != nil {
		return err
	}
	in, err := staged(ctx, r, nil)
	if err != nil {
		return err
	}
	if in.unmerged {
		return ErrConflict
	}
	return pin(ctx, r, nil, in.submodules)
}
