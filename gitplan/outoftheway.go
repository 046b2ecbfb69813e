package gitplan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// judgedAsCommitted has the checks run without what the checks name and no commit will have: files
// that the session made and git ignores, and empty folders. These are out of the way while
// the checks run, which may make them again, as a build does; what they did not make is
// there again afterwards.
func (w *Place) judgedAsCommitted(ctx context.Context, t Task, s *git.Status, judged func(context.Context) error) error {
	if _, run := t.Agent.(shell); run || t.Agent == nil {
		return judged(ctx)
	}
	root, err := os.OpenRoot(w.tree().Top)
	if err != nil {
		return err
	}
	defer root.Close()
	files, folders := w.uncommittable(root, t, s)
	if w.own.Aside = files; len(files) > 0 {
		if err := w.noteProgress(); err != nil {
			return err
		}
	}
	files = slices.DeleteFunc(files, func(p string) bool { return root.Rename(p, besides(p)) != nil })
	folders = slices.DeleteFunc(folders, func(p string) bool { return root.Remove(p) != nil })
	back, err := w.asCommitted(ctx, root, s)
	if err == nil {
		err = judged(ctx)
	}
	var missed, converted []string
	if back != nil {
		converted = back()
	}
	w.own.Aside = nil // each later note says so
	for _, p := range files {
		if _, gone := root.Lstat(p); gone == nil {
			_ = root.Remove(besides(p)) // the checks made it again
		} else if root.Rename(besides(p), p) == nil {
			missed = append(missed, p)
		}
	}
	for _, p := range folders {
		if root.Mkdir(p, 0o777) == nil {
			missed = append(missed, p+"/")
		}
	}
	var f *CheckFailure
	if errors.As(err, &f) {
		f.Uncommitted, f.Converted = missed, converted
	}
	return err
}

// backInPlace puts back what was out of the way when git plan was killed.
func (w *Place) backInPlace() {
	root, err := os.OpenRoot(w.tree().Top)
	if err != nil || w.own.Aside == nil {
		return
	}
	defer root.Close()
	for _, p := range w.own.Aside {
		if _, gone := root.Lstat(p); gone != nil {
			_ = root.Rename(besides(p), p)
		}
	}
	w.own.Aside = nil
}

// besides is where a file is meanwhile: where a rule for its folder, or for how its name
// ends, has git ignore it, too.
func besides(p string) string { return path.Join(path.Dir(p), ".git-plan-aside-"+path.Base(p)) }

// uncommittable are the files and folders that the checks of a task name and no commit will
// have. What is installed for the project is no work, and no build makes it again.
func (w *Place) uncommittable(root *os.Root, t Task, s *git.Status) (files, folders []string) {
	ignored := inProgress{Ignored: s.Ignored}
	t.Files = nil
	for _, p := range t.names() {
		info, err := root.Lstat(p)
		switch {
		case err != nil, p == ".", !filepath.IsLocal(p), slices.Contains(files, p), slices.Contains(folders, p):
		case info.IsDir():
			if entries, err := fs.ReadDir(root.FS(), p); err == nil && len(entries) == 0 {
				folders = append(folders, p)
			}
		case !ignored.has(p), slices.Contains(s.Unignored, p), w.byCheck(p), installed(p):
		case !w.own.has(p), !w.first.IsZero() && !git.Changed(info).Before(w.first): // by a session before it, too
			files = append(files, p)
		}
	}
	return files, folders
}

// installed reports that a path is below what package managers write.
func installed(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool {
		return slices.Contains([]string{"node_modules", "venv", ".venv", "env", ".tox", ".nox", "vendor", ".gradle", ".terraform"}, name)
	})
}
