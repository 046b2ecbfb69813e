package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What lies in a work tree need not be what git expects there. At a pipe in the place of a
// .gitignore it waits forever, and in a folder that it may not list it sees nothing. Both
// are rare, so that nothing is looked for until a git takes its time, or has a word to say.

// openedByGit are the files of a work tree that git opens whatever they are.
var openedByGit = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// ErrBarred says that git would wait forever at something in the work tree.
var ErrBarred = errors.New("git would wait for ever")

// Barred is that error, with what is in the way.
type Barred struct {
	Top   string
	Paths []string
}

func (b *Barred) Error() string {
	return fmt.Sprintf("%s is no file, and git would wait for ever to read it", strings.Join(b.Paths, ", "))
}

// Is reports that it is an ErrBarred.
func (b *Barred) Is(target error) bool { return target == ErrBarred }

// patience is how long a git may take before it is looked for what it may be waiting at. It
// bounds nothing: a git that is only slow goes on.
const patience = time.Second

// unbarred returns a context that ends, with a *Barred, if there is something in the work tree
// that a git may be waiting at.
func (r *Repo) unbarred(ctx context.Context) (context.Context, func()) {
	if r.Top == "" {
		return ctx, func() {}
	}
	watched, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(patience, func() {
		if found := r.look(watched, nil, false); len(found) > 0 {
			cancel(&Barred{Top: r.Top, Paths: found})
		}
	})
	return watched, func() {
		timer.Stop()
		cancel(nil)
	}
}

// Unbar has the folders of the work tree that cannot be read be read again, where they are
// ours, and removes what git would wait at: no byte is in that. Some are left alone. It
// returns what it found.
func (r *Repo) Unbar(ctx context.Context, except []string) []string {
	return r.look(ctx, func(path string) bool { return !slices.Contains(except, path) }, true)
}

// Unread returns what git could not read in the work tree, or would wait at: folders, which
// have a slash at their end, and files that it opens.
func (r *Repo) Unread(ctx context.Context) []string { return r.look(ctx, nil, true) }

// look finds what git would wait at and, with unread, what it cannot read: folders, which
// have a slash at their end, and files that it opens. What fix says yes to is put right.
func (r *Repo) look(ctx context.Context, fix func(path string) bool, unread bool) (found []string) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir // it was found when it was come upon
		case d.IsDir() && path.Base(p) == ".git":
			return fs.SkipDir
		case d.IsDir():
			if unread && p != "." && !listable(root, p) {
				found = append(found, p+"/")
				if fix != nil && fix(p+"/") {
					_ = addMode(root, p, 0o700)
				}
			}
		case slices.Contains(openedByGit, path.Base(p)):
			info, err := r.asOpened(p)
			switch {
			case err != nil:
			case !info.Mode().IsRegular() && !info.IsDir():
				if found = append(found, p); fix != nil && fix(p) {
					_ = root.Remove(p)
				}
			case unread && !opens(root, p):
				if found = append(found, p); fix != nil && fix(p) {
					_ = addMode(root, p, 0o600)
				}
			}
		}
		return nil
	})
	return found
}

// asOpened returns what git finds when it opens one of these files: only of a .gitmodules it
// follows a link.
func (r *Repo) asOpened(p string) (fs.FileInfo, error) {
	name := filepath.Join(r.Top, p)
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return info, err
	}
	if path.Base(p) != ".gitmodules" {
		return nil, fs.ErrNotExist
	}
	return os.Stat(name)
}

// BarredAtTop returns a *Barred if one of these files in the top folder is none: a git of the
// person's may wait at one that no git of ours opens.
func (r *Repo) BarredAtTop() error {
	for _, name := range openedByGit {
		if info, err := r.asOpened(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return &Barred{Top: r.Top, Paths: []string{name}}
		}
	}
	return nil
}

// listable reports that the entries of a folder can be read, and looked at.
func listable(root *os.Root, dir string) bool {
	_, err := root.Lstat(dir + "/.")
	return err == nil && opens(root, dir)
}

func opens(root *os.Root, name string) bool {
	f, err := root.Open(name)
	return err == nil && f.Close() == nil
}

func addMode(root *os.Root, name string, mode fs.FileMode) error {
	info, err := root.Lstat(name)
	if err == nil {
		err = root.Chmod(name, info.Mode().Perm()|mode)
	}
	return err
}

// OpenTop has the top folder be entered again, where somebody has closed it: git could not
// even be started there.
func (r *Repo) OpenTop() {
	if info, err := os.Lstat(r.Top); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
		_ = os.Chmod(r.Top, info.Mode().Perm()|0o700)
	}
}
