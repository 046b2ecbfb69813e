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

// A work tree need not hold what git expects there. git waits forever at a pipe that is named
// .gitignore, and sees nothing in a folder that it may not list. Both are rare, so nothing is
// searched for until a git takes long or prints a warning.

// openedByGit lists the files of a work tree that git opens, whatever kind of file they are.
var openedByGit = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// ErrBarred says that git would wait forever at something in the work tree.
var ErrBarred = errors.New("git would wait forever")

// Barred is ErrBarred with the paths that are in the way.
type Barred struct {
	Top   string   // of the work tree
	Paths []string // below it, with slashes
}

func (b *Barred) Error() string {
	return fmt.Sprintf("%s is no file, and git would wait forever to read it", strings.Join(b.Paths, ", "))
}

// Is reports that it is an ErrBarred.
func (b *Barred) Is(target error) bool { return target == ErrBarred }

// patience is how long a git may take before the work tree is searched for something that it
// waits at. It is no time limit: a git that is merely slow goes on.
const slowGit = time.Second

// unbarred returns a context for one git. It ends with a *Barred as its cause if that git takes
// longer than patience and the work tree holds something that it would wait at forever.
func unbarred(ctx context.Context, r *Repo) (context.Context, func()) {
	if r.Top == "" {
		return ctx, func() {}
	}
	watched, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(slowGit, func() {
		if found := look(r, watched, nil, false); len(found) > 0 {
			cancel(&Barred{Top: r.Top, Paths: found})
		}
	})
	return watched, func() {
		timer.Stop()
		cancel(nil)
	}
}

// Unbar makes folders and files of the work tree readable again, if they belong to this user,
// and removes what git would wait at, which holds no data. Paths in except are left alone. It
// returns all that it found, those included.
func (r *Repo) Unbar(ctx context.Context, except []string) []string {
	return look(r, ctx, func(path string) bool { return !slices.Contains(except, path) }, true)
}

// Unread returns what git cannot read in the work tree, or would wait at: folders, with a slash
// at the end, and files that git opens.
func (r *Repo) Unread(ctx context.Context) []string { return look(r, ctx, nil, true) }

// look returns what git would wait at and, with unread, what it cannot read: folders, with a
// slash at the end, and files that git opens. It repairs the paths for which fix returns true.
func look(r *Repo, ctx context.Context, fix func(path string) bool, unread bool) (found []string) {
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
			return fs.SkipDir // listable reported it before
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
			info, err := asOpened(r, p)
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

// asOpened returns what git finds if it opens one of the openedByGit. git follows a symbolic
// link only if it is a .gitmodules.
func asOpened(r *Repo, p string) (fs.FileInfo, error) {
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

// BarredAtTop returns a *Barred if git would wait at something in the top folder. It checks all
// of openedByGit, because a git that the person runs may open one that none of ours does.
func (r *Repo) BarredAtTop() error {
	for _, name := range openedByGit {
		if info, err := asOpened(r, name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return &Barred{Top: r.Top, Paths: []string{name}}
		}
	}
	return nil
}

// listable reports whether the entries of a folder can be listed and examined.
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

// OpenTop makes the top folder accessible again if that right was taken away: git could not
// even be started in it.
func (r *Repo) OpenTop() {
	if info, err := os.Lstat(r.Top); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
		_ = os.Chmod(r.Top, info.Mode().Perm()|0o700)
	}
}
