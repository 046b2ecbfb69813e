package gitplan

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// nested are the repositories that a session made in the tree: git commits no file of
// theirs here.
func (w *Worker) nested(s *git.Status) (out []string) {
	for _, p := range s.Untracked {
		if strings.HasSuffix(p, "/") && !w.own.has(p) && !w.byCheck(p) {
			out = append(out, strings.TrimSuffix(p, "/"))
		}
	}
	return out
}

// gitlinks are those that a session added as they are: without .gitmodules nobody
// could get them.
func gitlinks(d *git.Diff) (out []string) {
	if slices.ContainsFunc(d.Files, func(f git.FileDiff) bool { return f.Path == ".gitmodules" }) {
		return nil
	}
	for _, f := range d.Files {
		if f.NewMode == "160000" && f.OldMode != "160000" {
			out = append(out, f.Path)
		}
	}
	return out
}

// withNested is a tree with the files of nested repositories, within the bound of what
// is kept of a person's. The repositories themselves stay where they are.
func (w *Worker) withNested(ctx context.Context, tree string, nested []string) (string, error) {
	root, err := os.OpenRoot(w.tree().Top)
	if err != nil {
		return tree, err
	}
	defer root.Close()
	var files []git.RawFile
	for _, repo := range nested {
		_ = fs.WalkDir(root.FS(), repo, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil, d.IsDir() && (path.Base(p) == ".git" || byTools(p)):
				return fs.SkipDir
			case !d.IsDir() && path.Base(p) != ".git":
				files = append(files, w.tree().RawFileOf(p))
			}
			return nil
		})
	}
	fits, _ := git.Fits(files, maxUntracked, maxUntrackedFiles)
	if len(fits) == 0 {
		return tree, nil
	}
	return w.tree().WithRaw(ctx, tree, fits)
}
