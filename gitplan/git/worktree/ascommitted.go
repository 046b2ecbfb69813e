package worktree

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// What is committed may differ from what is in the tree: git converts line ends, removes what
// $Id$ expands to, runs filters, and with core.fileMode off ignores modes. Checks see files as a
// checkout will have them. Afterwards the files are as they were, except those that a check
// wrote.

// AsCommitted makes some files, changed and added, what a checkout would have, until back is
// called, which names them. Modes are looked at if they changed since a moment, and not if that is
// zero.
func AsCommitted(ctx context.Context, r *git.Repo, config *git.Config, changed, added []string, since time.Time) (back func() []string, err error) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, err
	}
	other, err := checkedOut(ctx, r, config, append(changed, added...))
	if err != nil {
		root.Close()
		return nil, err
	}
	var undo []func() string
	for _, path := range slices.Sorted(maps.Keys(other)) {
		info, err := root.Lstat(path)
		if err != nil {
			continue
		}
		was, err := root.ReadFile(path)
		if err != nil || overwriteFile(root, path, info.Mode(), other[path]) != nil {
			continue
		}
		undo = append(undo, func() string {
			if now, err := root.ReadFile(path); err == nil && bytes.Equal(now, other[path]) {
				_ = overwriteFile(root, path, info.Mode(), was)
				_ = root.Chtimes(path, info.ModTime(), info.ModTime())
			}
			return path
		})
	}
	modes := map[string]bool{}
	if !since.IsZero() && !config.Bool("core.filemode", true) {
		modes = modesSince(r, since, added)
	}
	for path, executable := range modes {
		info, err := root.Lstat(path)
		if err != nil {
			continue
		}
		mode := info.Mode().Perm() &^ 0o111
		if executable {
			mode |= 0o100
		}
		if root.Chmod(path, mode) == nil {
			undo = append(undo, func() string {
				_ = root.Chmod(path, info.Mode().Perm())
				return path
			})
		}
	}
	return func() (names []string) {
		defer root.Close()
		for _, do := range undo {
			names = append(names, do())
		}
		return names
	}, nil
}

// overwriteFile writes into a file that may be read-only.
func overwriteFile(root *os.Root, p string, mode fs.FileMode, data []byte) error {
	if mode.Perm()&0o200 == 0 {
		if err := root.Chmod(p, mode.Perm()|0o200); err != nil {
			return err
		}
		defer func() { _ = root.Chmod(p, mode.Perm()) }()
	}
	return root.WriteFile(p, data, mode.Perm())
}
