package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Hidden returns the files that are hidden from git (assume-unchanged, skip-worktree) and are there: what anybody
// writes to them is in no commit. It starts no process if eachEntry can read the index.
func Hidden(ctx context.Context, r *git.Repo) (out []RawFile, err error) {
	hidden, err := hiddenFiles(ctx, r)
	eachThere(r, hidden, func(f RawFile) {
		if f.Mode.IsRegular() || f.Mode&fs.ModeSymlink != 0 {
			out = append(out, f)
		}
	})
	return out, err
}

// eachThere calls visit with those of some files, in the order of an index, that are there. Of a folder that is not there, as most are in a sparse checkout, the files are not looked for.
func eachThere(r *git.Repo, files []string, visit func(RawFile)) {
	gone := "/" // begins no path
	for _, name := range files {
		if strings.HasPrefix(name, gone) {
			continue
		}
		if now := RawFileOf(r, name); !now.Time.IsZero() {
			visit(now)
		} else if _, err := os.Lstat(filepath.Join(r.Top, path.Dir(name))); errors.Is(err, fs.ErrNotExist) {
			gone = path.Dir(name) + "/"
		}
	}
}

// hiddenFiles returns the paths in the index that are hidden from git.
func hiddenFiles(ctx context.Context, r *git.Repo) ([]string, error) {
	return flagged(ctx, r, func(assumes, skips bool) bool { return assumes || skips })
}

// flagged returns the paths in the index for whose flags, assume-unchanged and skip-worktree, has returns true.
func flagged(ctx context.Context, r *git.Repo, has func(assumes, skips bool) bool) (out []string, err error) {
	list := contentsOf(r.IndexFile(), len(r.Zero())/2)
	if !list.whole {
		list.flagged, err = entries(ctx, r, nil, false)
	}
	out = make([]string, 0, len(list.flagged))
	for _, e := range list.flagged {
		if has(e.flags&assumed != 0, e.more&skipped != 0) {
			out = append(out, e.name)
		}
	}
	return out, err
}

// updateIndex runs git update-index with options for some paths of the index that env names (empty: that of the work tree).
func updateIndex(ctx context.Context, r *git.Repo, env, paths []string, options ...string) error {
	if len(paths) == 0 {
		return nil
	}
	return r.Run(ctx, git.Command{Args: slices.Concat([]string{"update-index"}, options, []string{"-z", "--stdin"}),
		Env: env, Stdin: nulEnded(paths), Writes: len(env) == 0})
}

// Unhide makes git look at paths again that were hidden from it.
func Unhide(ctx context.Context, r *git.Repo, paths []string) error {
	return errors.Join(updateIndex(ctx, r, nil, paths, "--no-assume-unchanged"),
		updateIndex(ctx, r, nil, paths, "--no-skip-worktree"))
}

// overwrite runs a git command that replaces index and tracked files, such as `reset --hard`. Files that the
// user hides from git (assume-unchanged) hold changes that no commit is to have: they are marked
// skip-worktree meanwhile, so that git leaves them alone.
func overwrite(ctx context.Context, r *git.Repo, args ...string) error {
	hidden, err := flagged(ctx, r, func(assumes, skips bool) bool { return assumes && !skips })
	if err != nil {
		return err
	}
	if len(hidden) == 0 {
		return r.Run(ctx, git.Command{Args: args, Writes: true})
	}
	if err := updateIndex(ctx, r, nil, hidden, "--skip-worktree"); err != nil {
		return err
	}
	// In a sparse checkout git would look at them all the same.
	err = r.Run(ctx, git.Command{Args: append([]string{"-c", "core.sparseCheckout=false"}, args...), Writes: true})
	ctx = context.WithoutCancel(ctx)
	left, listed := flagged(ctx, r, func(assumes, skips bool) bool { return assumes && skips })
	left = slices.DeleteFunc(left, func(p string) bool { return !slices.Contains(hidden, p) })
	return errors.Join(err, listed, updateIndex(ctx, r, nil, left, "--no-skip-worktree"))
}

// pinSubmodules makes git leave submodules alone in the index that env names; otherwise it would run a git there that
// obeys their settings. unmerged reports whether the index has conflicts.
func pinSubmodules(ctx context.Context, r *git.Repo, env []string) (unmerged bool, err error) {
	var submodules []string // that git looks at
	list, err := entries(ctx, r, env, true)
	for _, e := range list {
		unmerged = unmerged || e.flags&stages != 0
		if e.mode&fileKind == gitlink && e.more&skipped == 0 {
			submodules = append(submodules, e.name)
		}
	}
	if err != nil {
		return unmerged, err
	}
	return unmerged, updateIndex(ctx, r, env, submodules, "--skip-worktree")
}

// unskip makes git look at files outside of sparse patterns, despite sparse.expectFilesOutsideOfPatterns.
func unskip(ctx context.Context, r *git.Repo) error {
	if _, err := os.Stat(filepath.Join(r.GitDir, "info/sparse-checkout")); err != nil {
		return nil
	}
	skipped, err := hiddenFiles(ctx, r)
	if err != nil {
		return err
	}
	var there []string
	eachThere(r, skipped, func(f RawFile) {
		if !f.Mode.IsDir() {
			there = append(there, f.Path)
		}
	})
	return updateIndex(ctx, r, nil, there, "--no-skip-worktree")
}
