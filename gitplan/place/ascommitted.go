package place

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// What is committed may differ from what is in the tree: git converts line ends, removes what
// $Id$ expands to, runs filters, and with core.fileMode off ignores modes. Checks see files as a
// checkout will have them. Afterwards the files are as they were, except those that a check
// wrote.

// asCommitted makes the files that the session changed what a checkout would have, until back is
// called, which names them.
func (p *Place) asCommitted(ctx context.Context, root *os.Root, s *worktree.Status) (back func() []string, err error) {
	other, err := worktree.CheckedOut(ctx, p.Tree(), p.Config.Git, append(s.Paths(), p.added(s)...))
	if err != nil {
		return nil, err
	}
	var undo []func() string
	for _, path := range slices.Sorted(maps.Keys(other)) {
		info, err := root.Lstat(path)
		if err != nil {
			continue
		}
		was, err := root.ReadFile(path)
		if err != nil || overwrite(root, path, info.Mode(), other[path]) != nil {
			continue
		}
		undo = append(undo, func() string {
			if now, err := root.ReadFile(path); err == nil && bytes.Equal(now, other[path]) {
				_ = overwrite(root, path, info.Mode(), was)
				_ = root.Chtimes(path, info.ModTime(), info.ModTime())
			}
			return path
		})
	}
	for path, executable := range p.modes(s) {
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
		for _, do := range undo {
			names = append(names, do())
		}
		return names
	}, nil
}

// modes returns the files whose mode no commit has.
func (p *Place) modes(s *worktree.Status) map[string]bool {
	if p.Config.Git.Bool("core.filemode", true) || p.began.IsZero() {
		return nil
	}
	return worktree.ModesSince(p.Tree(), p.began, p.added(s))
}

// overwrite writes into a file that may be read-only.
func overwrite(root *os.Root, p string, mode fs.FileMode, data []byte) error {
	if mode.Perm()&0o200 == 0 {
		if err := root.Chmod(p, mode.Perm()|0o200); err != nil {
			return err
		}
		defer func() { _ = root.Chmod(p, mode.Perm()) }()
	}
	return root.WriteFile(p, data, mode.Perm())
}
