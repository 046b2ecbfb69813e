package unseen

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Nested returns the repositories that a session made in the tree: no commit here can have their
// files.
func (l Look) Nested(s *worktree.Status) (out []string) {
	for _, name := range s.Untracked {
		if strings.HasSuffix(name, "/") && !l.Before.Has(name) && !l.byCheck(name) {
			out = append(out, strings.TrimSuffix(name, "/"))
		}
	}
	return out
}

// FilesBelow returns the files of a nested repository, except its .git and what tools write; all
// is false if some could not be read.
func FilesBelow(root *os.Root, repo string) (files []string, all bool) {
	all = true
	_ = fs.WalkDir(root.FS(), repo, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			all = false
			return fs.SkipDir
		case d.IsDir() && (path.Base(p) == ".git" || ByTools(p)):
			return fs.SkipDir
		case !d.IsDir() && path.Base(p) != ".git":
			files = append(files, p)
		}
		return nil
	})
	return files, all
}
