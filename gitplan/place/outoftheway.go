package place

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
	"github.com/git-plan/git-plan/gitplan/site"
)

// judgedAsCommitted has the checks run without what the checks name and no commit will have:
// files that the session made and git ignores, and empty folders. These are moved away while the
// checks run. A check may create them again, as a build does; the others are moved back.
func (p *Place) judgedAsCommitted(ctx context.Context, t Asked, s *worktree.Status, judged func(context.Context) error) error {
	if !t.Session {
		return judged(ctx)
	}
	root, err := os.OpenRoot(p.Tree().Top)
	if err != nil {
		return err
	}
	defer root.Close()
	files, folders := p.onlyHere(root, t, s)
	if p.own.Aside = files; len(files) > 0 {
		if err := p.noteProgress(); err != nil {
			return err
		}
	}
	files = slices.DeleteFunc(files, func(name string) bool { return root.Rename(name, asideName(name)) != nil })
	folders = slices.DeleteFunc(folders, func(name string) bool { return root.Remove(name) != nil })
	back, err := worktree.AsCommitted(ctx, p.Tree(), p.Config.Git, s.Paths(), p.added(s), p.began)
	if err == nil {
		err = judged(ctx)
	}
	var missed, converted []string
	if back != nil {
		converted = back()
	}
	p.own.Aside = nil // each later note says so
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

// asideName returns the name of a file while it is out of the way. A rule that ignores the file by
// its folder or its extension ignores that name, too.
func asideName(p string) string { return path.Join(path.Dir(p), ".git-plan-aside-"+path.Base(p)) }

// onlyHere returns the files and folders that the checks of a task name and no commit will have.
// Not what is installed for the project: that is not work, and no build makes it again.
func (p *Place) onlyHere(root *os.Root, t Asked, s *worktree.Status) (files, folders []string) {
	ignored := checkout.InProgress{Ignored: s.Ignored}
	t.Files = nil
	for _, name := range t.names() {
		info, err := root.Lstat(name)
		switch {
		case err != nil, name == ".", !filepath.IsLocal(name), slices.Contains(files, name), slices.Contains(folders, name):
		case info.IsDir():
			if entries, err := fs.ReadDir(root.FS(), name); err == nil && len(entries) == 0 {
				folders = append(folders, name)
			}
		case !ignored.Has(name), slices.Contains(s.Unignored, name), p.unseenLook().ByCheck(name), unseen.Installed(name):
		case !p.own.Has(name), !p.began.IsZero() && !git.Changed(info).Before(p.began): // by a session before it, too
			files = append(files, name)
		}
	}
	return files, folders
}
