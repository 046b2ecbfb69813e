package worktree

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// errNotCheckedOut says that git itself would write no file at a path.
var errNotCheckedOut = &fs.PathError{Op: "write", Path: ".git", Err: fs.ErrPermission}

// mayPut refuses the paths at which git would check nothing out: those that leave the
// work tree, those with a .git in them however a file system spells that, those behind a
// link, and those in the repository, wherever that lies. A path may come from a note or
// from a tree, which others can have written.
func mayPut(r *git.Repo, root *os.Root, path string) error {
	path = filepath.FromSlash(path)
	if !filepath.IsLocal(path) {
		return errNotCheckedOut
	}
	for part := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if isDotGit(part) {
			return errNotCheckedOut
		}
	}
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && !info.IsDir() {
			return errNotCheckedOut
		}
	}
	for _, dir := range []string{r.GitDir, r.CommonDir} {
		if rel, err := filepath.Rel(dir, filepath.Join(r.Top, path)); err == nil && filepath.IsLocal(rel) {
			return errNotCheckedOut
		}
	}
	return nil
}

// isDotGit reports that some file system takes a name for .git, as git's own core.protectNTFS
// and core.protectHFS do, whichever file system this one is: case, dots and spaces at the
// end, streams and short names on NTFS, and letters without a width on HFS+.
func isDotGit(name string) bool {
	name, _, _ = strings.Cut(strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, name), ":")
	name = strings.TrimRight(name, " .")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}
