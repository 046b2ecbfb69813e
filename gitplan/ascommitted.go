package gitplan

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
)

// What is committed need not be what lies in the tree: git converts line ends, takes out
// what an $Id$ says, sends files through filters, and is told by core.fileMode to look at no
// mode. Checks see files as a checkout will have them. Afterwards they are as they were,
// but for those that a check wrote itself.

// asCommitted makes the files that the session changed what a checkout would have, until
// back is called, which names them.
func (w *Place) asCommitted(ctx context.Context, root *os.Root, s *git.Status) (back func() []string, err error) {
	other, err := w.tree().CheckedOut(ctx, w.Config.Git, append(s.Paths(), w.added(s)...))
	if err != nil {
		return nil, err
	}
	var undo []func() string
	for _, p := range slices.Sorted(maps.Keys(other)) {
		info, err := root.Lstat(p)
		if err != nil {
			continue
		}
		was, err := root.ReadFile(p)
		if err != nil || overwrite(root, p, info.Mode(), other[p]) != nil {
			continue
		}
		undo = append(undo, func() string {
			if now, err := root.ReadFile(p); err == nil && bytes.Equal(now, other[p]) {
				_ = overwrite(root, p, info.Mode(), was)
				_ = root.Chtimes(p, info.ModTime(), info.ModTime())
			}
			return p
		})
	}
	for p, executable := range w.modes(s) {
		info, err := root.Lstat(p)
		if err != nil {
			continue
		}
		mode := info.Mode().Perm() &^ 0o111
		if executable {
			mode |= 0o100
		}
		if root.Chmod(p, mode) == nil {
			undo = append(undo, func() string {
				_ = root.Chmod(p, info.Mode().Perm())
				return p
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

// modes are the files whose mode no commit has.
func (w *Place) modes(s *git.Status) map[string]bool {
	if w.Config.Git.Bool("core.filemode", true) || w.first.IsZero() {
		return nil
	}
	return w.tree().ModesSince(w.first, w.added(s))
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
