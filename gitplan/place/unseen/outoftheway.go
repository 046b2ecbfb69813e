package unseen

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Judged is what checks are about to judge, and that they may see only as a commit will have it.
type Judged struct {
	Status *worktree.Status
	Named  []string  // files that the checks name
	Began  time.Time // when the task began
	Config *git.Config
	Note   func(aside []string) error // notes which files are out of the way, or that none is any more
}

// AsCommitted has checks run without what they name and no commit will have: files that the
// session made and git ignores, and empty folders. These are moved away while the checks run. A
// check may create them again, as a build does; the others are moved back.
func (l Look) AsCommitted(ctx context.Context, j Judged, run func(context.Context) error) error {
	root, err := os.OpenRoot(l.Tree.Top)
	if err != nil {
		return err
	}
	defer root.Close()
	files, folders := l.onlyHere(root, j)
	if err := j.Note(files); err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(name string) bool { return root.Rename(name, asideName(name)) != nil })
	folders = slices.DeleteFunc(folders, func(name string) bool { return root.Remove(name) != nil })
	back, err := worktree.AsCommitted(ctx, l.Tree, j.Config, j.Status.Paths(), l.Added(j.Status), j.Began)
	if err == nil {
		err = run(ctx)
	}
	var missed, converted []string
	if back != nil {
		converted = back()
	}
	_ = j.Note(nil)
	for _, name := range files {
		if _, gone := root.Lstat(name); gone == nil {
			_ = root.Remove(asideName(name)) // the checks made it again
		} else if root.Rename(asideName(name), name) == nil {
			missed = append(missed, name)
		}
	}
	for _, name := range folders {
		if root.Mkdir(name, 0o777) == nil {
			missed = append(missed, name+"/")
		}
	}
	var f *site.CheckFailure
	if errors.As(err, &f) {
		f.Uncommitted, f.Converted = missed, converted
	}
	return err
}

// BackInPlace puts back what was out of the way of the checks when git plan was killed.
func BackInPlace(tree *git.Repo, aside []string) error {
	root, err := os.OpenRoot(tree.Top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range aside {
		if _, gone := root.Lstat(name); gone != nil {
			_ = root.Rename(asideName(name), name)
		}
	}
	return nil
}

// asideName returns the name of a file while it is out of the way. A rule that ignores the file by
// its folder or its extension ignores that name, too.
func asideName(p string) string { return path.Join(path.Dir(p), ".git-plan-aside-"+path.Base(p)) }

// onlyHere returns the files and folders that the checks name and no commit will have.
// Not what is installed for the project: that is not work, and no build makes it again.
func (l Look) onlyHere(root *os.Root, j Judged) (files, folders []string) {
	ignored := checkout.InProgress{Ignored: j.Status.Ignored}
	for _, name := range j.Named {
		info, err := root.Lstat(name)
		switch {
		case err != nil, name == ".", !filepath.IsLocal(name), slices.Contains(files, name), slices.Contains(folders, name):
		case info.IsDir():
			if entries, err := fs.ReadDir(root.FS(), name); err == nil && len(entries) == 0 {
				folders = append(folders, name)
			}
		case !ignored.Has(name), slices.Contains(j.Status.Unignored, name), l.byCheck(name), installed(name):
		case !l.Before.Has(name), !j.Began.IsZero() && !git.Changed(info).Before(j.Began): // by a session before it, too
			files = append(files, name)
		}
	}
	return files, folders
}
