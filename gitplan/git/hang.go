package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// git waits forever at a pipe that is named .gitignore. That is rare, so the work tree is searched only if a git takes
// long.

// openedByGit lists the files of a work tree that git opens, whatever kind of file they are.
var openedByGit = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// ErrWouldHang says that git would wait forever at something in the work tree.
var ErrWouldHang = errors.New("git would wait forever")

// HangError is ErrWouldHang with the paths that are in the way.
type HangError struct{ Paths []string }

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
		if pipes := pipesIn(watched, r.Top); len(pipes) > 0 {
			cancel(&HangError{pipes})
		}
	})
	return watched, func() {
		timer.Stop()
		cancel(nil)
	}
}

// pipesIn returns what git would wait at in a work tree. Of links it follows .gitmodules only.
func pipesIn(ctx context.Context, top string) (pipes []string) {
	_ = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil, d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir(), d.Type()&fs.ModeSymlink != 0 && d.Name() != ".gitmodules", !slices.Contains(openedByGit, d.Name()):
			return nil
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			pipes = append(pipes, name)
		}
		return nil
	})
	return pipes
}

// MakeTopAccessible makes the top folder accessible again: git could not even be started in it.
func (r *Repo) MakeTopAccessible() {
	if info, err := os.Lstat(r.Top); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
		_ = os.Chmod(r.Top, info.Mode().Perm()|0o700)
	}
}
