package worktree

import (
	"context"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/git"
)

// What git leaves alone in files of a session's own (git.Repo.Apart), and what it must not.

// PinSubmodules makes git leave submodules alone. To see whether one changed, git would run git in
// it, which obeys the configuration there.
func PinSubmodules(ctx context.Context, r *git.Repo) error { return pinSubmodules(ctx, r, nil) }

// pinSubmodules is PinSubmodules in the index that env names.
func pinSubmodules(ctx context.Context, r *git.Repo, env []string) error {
	in, err := staged(ctx, r, env)
	if err != nil {
		return err
	}
	return pin(ctx, r, env, in.submodules)
}

func pin(ctx context.Context, r *git.Repo, env, submodules []string) error {
	if len(submodules) == 0 {
		return nil
	}
	return r.Run(ctx, git.Command{Args: []string{"update-index", "--skip-worktree", "-z", "--stdin"}, Env: env, Stdin: nulEnded(submodules)})
}

// OnlyFiles reports whether all that an index holds is files that git checks out: no submodule,
// nothing unmerged, and no part of a sparse checkout.
func OnlyFiles(ctx context.Context, r *git.Repo) (bool, error) {
	in, err := staged(ctx, r, nil)
	_, sparse := os.Lstat(filepath.Join(r.GitDir, "info/sparse-checkout"))
	return err == nil && !in.links && !in.unmerged && sparse != nil, err
}

// unskip makes git look at files that exist although the patterns of a sparse checkout leave them
// out. git does that by itself, but not with sparse.expectFilesOutsideOfPatterns.
func unskip(ctx context.Context, r *git.Repo) error {
	if _, err := os.Stat(filepath.Join(r.GitDir, "info/sparse-checkout")); err != nil {
		return nil
	}
	skipped, err := hiddenFiles(ctx, r)
	if err != nil {
		return err
	}
	var there []string
	for _, f := range skipped {
		if info, err := os.Lstat(filepath.Join(r.Top, filepath.FromSlash(f.Path))); err == nil && !info.IsDir() {
			there = append(there, f.Path)
		}
	}
	if len(there) == 0 {
		return nil
	}
	return markEntries(ctx, r, "--no-skip-worktree", there)
}
