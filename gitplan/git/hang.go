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

// git waits forever at a pipe that is named .gitignore, and sees nothing in a folder that it may not list.
// Both are rare, so the work tree is searched only if a git takes long or prints a warning.

// openedByGit lists the files of a work tree that git opens, whatever kind of file they are.
var openedByGit = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// ErrWouldHang says that git would wait forever at something in the work tree.
var ErrWouldHang = errors.New("git would wait forever")

// HangError is ErrWouldHang with the paths that are in the way.
type HangError struct {
	Top   string   // of the work tree
	Paths []string // below it, with slashes
}

func (b *HangError) Error() string {
	return fmt.Sprintf("%s is no file, and git would wait forever to read it", strings.Join(b.Paths, ", "))
}

// Is reports that it is an ErrWouldHang.
func (b *HangError) Is(target error) bool { return target == ErrWouldHang }

// slowGit is how long a git may take before the work tree is searched for something that it waits at.
const slowGit = time.Second

// untilHang returns a context that ends with a *HangError if its git is slow and would wait at something.
func untilHang(ctx context.Context, r *Repo) (context.Context, func()) {
	if r.Top == "" {
		return ctx, func() {}
	}
	watched, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(slowGit, func() {
		var pipes []string
		walkObstacles(watched, r, func(_ *os.Root, path string, isPipe bool) {
			if isPipe {
				pipes = append(pipes, path)
			}
		})
		if len(pipes) > 0 {
			cancel(&HangError{Top: r.Top, Paths: pipes})
		}
	})
	return watched, func() {
		timer.Stop()
		cancel(nil)
	}
}

// Unreadable returns what git cannot read in the work tree, or would wait at: folders with a final slash, and files.
func (r *Repo) Unreadable(ctx context.Context) (found []string) {
	walkObstacles(ctx, r, func(_ *os.Root, path string, _ bool) { found = append(found, path) })
	return found
}

// MakeReadable makes folders and files of the work tree readable, if they belong to this user, and removes
// what git would wait at, which holds no data, except the paths in except.
func (r *Repo) MakeReadable(ctx context.Context, except []string) {
	walkObstacles(ctx, r, func(root *os.Root, path string, isPipe bool) {
		name, isDir := strings.CutSuffix(path, "/")
		info, err := root.Lstat(name)
		switch {
		case err != nil || slices.Contains(except, path):
		case isPipe:
			_ = root.Remove(name)
		case isDir:
			_ = root.Chmod(name, info.Mode().Perm()|0o700)
		default:
			_ = root.Chmod(name, info.Mode().Perm()|0o600)
		}
	})
}

// walkObstacles calls found with what git cannot read in the work tree, or would wait at (isPipe).
func walkObstacles(ctx context.Context, r *Repo, found func(root *os.Root, path string, isPipe bool)) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil, d.IsDir() && path.Base(p) == ".git":
			return fs.SkipDir
		case d.IsDir():
			if _, err := root.Lstat(p + "/."); p != "." && (err != nil || !opens(root, p)) {
				found(root, p+"/", false)
			}
		case slices.Contains(openedByGit, path.Base(p)):
			if info, err := asOpened(r, p); err == nil && (blocks(info) || !opens(root, p)) {
				found(root, p, blocks(info))
			}
		}
		return nil
	})
}

// asOpened returns what git finds if it opens one of the openedByGit; of these it follows a link .gitmodules only.
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

func blocks(info fs.FileInfo) bool { return !info.Mode().IsRegular() && !info.IsDir() }

func opens(root *os.Root, name string) bool {
	f, err := root.Open(name)
	return err == nil && f.Close() == nil
}

// MakeTopAccessible makes the top folder accessible again: git could not even be started in it.
func (r *Repo) MakeTopAccessible() {
	if info, err := os.Lstat(r.Top); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
		_ = os.Chmod(r.Top, info.Mode().Perm()|0o700)
	}
}
