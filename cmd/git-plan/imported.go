package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// inRepository is the path in the repository of a file that a plan was read from;
// nothing where it is no file of the work tree.
func inRepository(co *gitplan.Checkout, name string) string {
	file, err := filepath.Abs(name)
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return ""
	}
	info, err := os.Stat(file)
	top, terr := filepath.EvalSymlinks(co.Repo.Top)
	rel, rerr := filepath.Rel(top, file)
	if err != nil || terr != nil || rerr != nil || !info.Mode().IsRegular() || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// tellStays says that the file a plan was read from is still tracked. Agents go on
// ticking boxes there, which nothing reads.
func tellStays(ctx context.Context, w io.Writer, co *gitplan.Checkout, name, path string) {
	if path == "" {
		return
	}
	if tracked, err := co.Repo.Output(ctx, "--literal-pathspecs", "ls-files", "--", path); err == nil && tracked != "" {
		say(w, "%s stays as it is, and boxes ticked there count for nothing; to remove it: git rm -- %s", visible.Line(path), visible.Shell(name))
	}
}
