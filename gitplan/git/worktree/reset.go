package worktree

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// overwrite runs a git command that replaces index and tracked files, such as `reset --hard`.
// A person who hides a file from git (assume-unchanged) keeps changes in it that no commit is
// to have, and git would overwrite them: so these files are marked skip-worktree meanwhile,
// which git leaves alone.
func overwrite(ctx context.Context, r *git.Repo, args ...string) error {
	entries, err := taggedEntries(ctx, r, func(tag string) bool { return tag != "s" && tag != strings.ToUpper(tag) })
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return r.Run(ctx, git.Command{Args: args, Writes: true})
	}
	if err := markEntries(ctx, r, "--skip-worktree", entries); err != nil {
		return err
	}
	// In a sparse checkout git would look at them all the same.
	err = r.Run(ctx, git.Command{Args: append([]string{"-c", "core.sparseCheckout=false"}, args...), Writes: true})
	ctx = context.WithoutCancel(ctx)
	left, e := taggedEntries(ctx, r, func(tag string) bool { return tag == "s" })
	left = slices.DeleteFunc(left, func(p string) bool { return !slices.Contains(entries, p) })
	return cmp.Or(err, e, markEntries(ctx, r, "--no-skip-worktree", left))
}

// taggedEntries returns the paths in the index for whose tag (see git ls-files -v) has returns true.
func taggedEntries(ctx context.Context, r *git.Repo, has func(tag string) bool, env ...string) (out []string, err error) {
	var list strings.Builder
	if err := r.Run(ctx, git.Command{Args: []string{"ls-files", "-v", "-z"}, Env: env, Stdout: &list}); err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(list.String(), "\x00") {
		if tag, path, ok := strings.Cut(entry, " "); ok && has(tag) {
			out = append(out, path)
		}
	}
	return out, nil
}

// markEntries sets or clears a flag of entries of the index, by an option of git update-index.
func markEntries(ctx context.Context, r *git.Repo, flag string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return r.Run(ctx, git.Command{Args: []string{"update-index", flag, "-z", "--stdin"},
		Stdin: nulEnded(paths), Writes: true})
}

// RestorePaths resets the index and some files to head (empty: no commit). The caller must first
// keep what this would lose.
func RestorePaths(ctx context.Context, r *git.Repo, head string, paths []string) error {
	reset := []string{"reset", "--quiet"}
	if head == "" {
		reset = []string{"read-tree", "--empty"}
	}
	if err := r.Run(ctx, git.Command{Args: reset, Writes: true}); err != nil {
		return err
	}
	var tracked, added []string
	for _, p := range paths {
		if _, err := r.Resolve(ctx, head+":"+p); head != "" && err == nil {
			tracked = append(tracked, p)
		} else {
			added = append(added, p)
		}
	}
	if err := removeFiles(r, added); err != nil || len(tracked) == 0 {
		return err
	}
	return r.Run(ctx, git.Command{Args: []string{"checkout-index", "--force", "--quiet", "--index", "-z", "--stdin"},
		Stdin: nulEnded(tracked), Writes: true})
}

// removeFiles removes files, and the folders that are empty then.
func removeFiles(r *git.Repo, paths []string) error {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range paths {
		_ = root.Remove(path)
		for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
			if info, err := root.Lstat(dir); err != nil || !info.IsDir() || root.Remove(dir) != nil {
				break // not empty, or no folder any more
			}
		}
	}
	return nil
}
