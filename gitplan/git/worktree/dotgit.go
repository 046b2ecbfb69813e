package worktree

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// errNotCheckedOut says that git itself would never write a file at a path.
var errNotCheckedOut = &fs.PathError{Op: "write", Path: ".git", Err: fs.ErrPermission}

// mayPut returns an error for paths at which git would never check anything out: those that lead
// out of the work tree, those with a .git in them in any spelling of any file system, those
// behind a symbolic link, and those in the repository, wherever that is. Paths come from notes
// and trees, which others may have written.
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

// isDotGit reports whether any file system takes a name for .git, like git's core.protectNTFS and
// core.protectHFS, whichever file system this is. NTFS ignores case, dots and spaces at the end,
// and knows streams and short names; HFS+ ignores letters without a width.
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
