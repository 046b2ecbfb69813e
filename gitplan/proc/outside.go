package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// Many people have a folder of their work tree on PATH: .venv/bin, node_modules/.bin, a
// bin that direnv adds. Whatever is called git there may have been written by a session.

// PathOutside returns PATH without relative folders and without folders in the work tree of the current folder.
func PathOutside() string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), inTree(WorkTrees()))
	return strings.Join(dirs, string(os.PathListSeparator))
}

// direct has the paths without symbolic links: no session leads them elsewhere, since they pass through no work tree.
var direct sync.Map

// inTree returns a function that reports whether a path is, or leads, below a folder; a relative one could, and so does.
func inTree(tops []string) func(path string) bool {
	return func(path string) bool {
		if !filepath.IsAbs(path) {
			return true
		}
		within := func(p string) bool {
			return slices.ContainsFunc(tops, func(top string) bool { return disk.Within(top, p) })
		}
		if _, ok := direct.Load(path); ok || within(filepath.Clean(path)) {
			return within(filepath.Clean(path))
		}
		real, err := filepath.EvalSymlinks(path)
		if real == path {
			direct.Store(path, true)
		}
		return err == nil && within(real)
	}
}

// WorkTrees returns the folders with a .git, the nearest first, from the current one upwards: a session that works in
// one may make another in it. Above the nearest, a home is left out, and a temporary folder with an empty .git, which
// codex makes in /tmp while its commands run. The last is the one that GIT_WORK_TREE names. No git is asked: the answer
// decides which may be.
func WorkTrees() (out []string) {
	dir, err := os.Getwd()
	dir = disk.Real(dir)
	home, _ := os.UserHomeDir()
	temporary := []string{disk.Real(os.TempDir()), disk.Real("/tmp")}
	for above := ""; err == nil && dir != above; dir = filepath.Dir(dir) {
		_, none := os.Lstat(filepath.Join(dir, ".git"))
		entries, unread := os.ReadDir(filepath.Join(dir, ".git"))
		empty := unread == nil && len(entries) == 0 && slices.Contains(temporary, dir)
		if none == nil && (out == nil || dir != disk.Real(home) && !empty) {
			out = append(out, dir)
		}
		above = dir
	}
	if named, err := filepath.Abs(os.Getenv("GIT_WORK_TREE")); err == nil && os.Getenv("GIT_WORK_TREE") != "" {
		out = append(out, disk.Real(named))
	}
	return out
}

// FindOutside is Find for a program that is to run unconfined. A program in the work tree is found only if no other
// has its name; inside then says so.
func FindOutside(name string) (path string, inside, ok bool) {
	if !strings.ContainsRune(name, filepath.Separator) {
		if p, err := outside(name); err == nil {
			return p, false, true
		}
	}
	p, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", false, false
	}
	abs, err := filepath.Abs(p)
	return p, err != nil || inTree(WorkTrees())(abs), true
}

// outside returns the path of a program that does not lie in the work tree.
func outside(name string) (string, error) {
	in := inTree(WorkTrees())
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil && !in(dir) && !in(p) {
			return p, nil
		}
	}
	if p, err := exec.LookPath(name); err == nil {
		return "", fmt.Errorf("%s lies in the work tree, where sessions write", p)
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
