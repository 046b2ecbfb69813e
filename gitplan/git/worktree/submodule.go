package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// inSubmodules adds the uncommitted changes in submodules that git itself, or PutSubmodule, checked out: git would run a
// git in each, where other settings apply. Submodules of submodules are left out.
func inSubmodules(ctx context.Context, r *git.Repo, s *Status) error {
	for _, path := range Submodules(r) {
		top, dir := filepath.Join(r.Top, filepath.FromSlash(path)), checkedOut(r, path)
		if dir == "" {
			continue
		}
		if info, err := os.Lstat(top); err != nil || !info.IsDir() || !disk.Direct(r.Top, path) { // a session moved it away
			s.Inside = append(s.Inside, path)
			continue
		}
		out, err := r.Submodule(top, dir).Output(ctx, "--no-optional-locks", "status", "--porcelain=v2", "-z",
			"--ignore-submodules=dirty", "--no-renames")
		if err != nil {
			return err
		}
		if out == "" {
			continue
		}
		s.Inside = append(s.Inside, path)
		tracked := out[0] != '?' || strings.Contains(out, "\x001 ") || strings.Contains(out, "\x002 ") ||
			strings.Contains(out, "\x00u ")
		changed := func(c Change) bool { return c.Path == path }
		// Untracked files alone are no change.
		if tracked && !r.PrivateWorktree && !slices.ContainsFunc(s.Changed, changed) {
			s.Changed = append(s.Changed, Change{Path: path, XY: ".m", Submodule: true})
		}
	}
	return nil
}

// checkedOut returns the repository, in modules, of a submodule that git itself, or PutSubmodule, checked out; else "".
func checkedOut(r *git.Repo, path string) string {
	modules := filepath.Join(r.GitDir, "modules")
	dir := filepath.Join(modules, path)
	if !r.PrivateWorktree {
		dir = submoduleDir(filepath.Join(r.Top, path))
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil || !disk.Within(modules, dir) ||
		!r.PrivateWorktree && !disk.Direct(r.Top, path+"/.git") {
		return ""
	}
	return dir
}

// PutSubmodule checks out a submodule in the clone e from its repository in r. It has no .git: e.GitDir has its index.
func PutSubmodule(ctx context.Context, r, e *git.Repo, path string) error {
	dir, own := checkedOut(r, path), filepath.Join(e.GitDir, "modules", path)
	if dir == "" {
		return git.ErrMissing
	}
	commit, err := e.Output(ctx, "rev-parse", "--verify", "--quiet", "HEAD:"+path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(e.Top) // a session may have made links on the way
	if err != nil {
		return err
	}
	defer root.Close()
	if err := errors.Join(os.RemoveAll(own), root.RemoveAll(path), root.MkdirAll(path, 0o777),
		os.MkdirAll(own, 0o700)); err != nil {
		return err
	}
	s, err := PrivateWorktree(r.Submodule(filepath.Join(r.Top, path), dir), filepath.Join(e.Top, path), own, commit)
	if err != nil {
		return err
	}
	defer s.Close()
	if err = s.Run(ctx, git.Command{Args: []string{"read-tree", "-m", "-u", "HEAD"}}); err != nil {
		_ = os.RemoveAll(own)
	}
	return err
}

// Submodules returns the paths of the submodules in a work tree.
func Submodules(r *git.Repo) []string { return contentsOf(r.IndexFile(), len(r.Zero())/2).submodules }

// submoduleDir returns the repository of a submodule with this work tree; "" if it is not checked out.
func submoduleDir(top string) string {
	dir := filepath.Join(top, ".git")
	if text, err := disk.ReadRegular(dir); err == nil {
		if dir = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: ")); !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		return ""
	}
	return filepath.Clean(dir)
}

// Neighbours returns the files, and the folders of repositories, that decide what git executes in linked work trees and
// in submodules, checked out or not. A session could create the missing ones. It starts no process.
func Neighbours(r *git.Repo) (files, repositories []string) {
	repositories = []string{filepath.Join(r.CommonDir, "modules")}
	if at := filepath.Join(r.Top, ".git"); at != r.GitDir { // it is a file or a link
		files = append(files, at)
	}
	for _, at := range disk.Glob(filepath.Join(r.CommonDir, "worktrees"), "*") {
		files = append(files, filepath.Join(at, "commondir"), filepath.Join(at, "gitdir"),
			filepath.Join(at, "config.worktree"))
		repositories = append(repositories, filepath.Join(at, "modules"))
		if top, err := disk.ReadRegular(filepath.Join(at, "gitdir")); err == nil {
			files = append(files, filepath.Join(filepath.Dir(strings.TrimSpace(string(top))), ".git"))
		}
	}
	var below func(top, index string, depth int)
	below = func(top, index string, depth int) {
		for _, p := range contentsOf(index, len(r.Zero())/2).submodules {
			at := filepath.Join(top, filepath.FromSlash(p))
			if depth == 10 || slices.Contains(files, filepath.Join(at, ".git")) { // a session may nest them without end
				continue
			}
			files = append(files, filepath.Join(at, ".git"))
			dir := submoduleDir(at)
			if dir == "" {
				continue
			}
			if !slices.ContainsFunc(repositories, func(in string) bool { return disk.Within(in, dir) }) {
				repositories = append(repositories, dir)
			}
			below(at, filepath.Join(dir, "index"), depth+1)
		}
	}
	below(r.Top, r.IndexFile(), 0)
	return files, repositories
}

// Nested returns the entries named .git in folders with tracked files, except the top folder. git status omits them, but
// a git that runs there obeys them.
func Nested(r *git.Repo) (out []string) {
	for _, dir := range contentsOf(r.IndexFile(), len(r.Zero())/2).folders {
		at := filepath.Join(r.Top, dir, ".git")
		if _, err := os.Lstat(at); err == nil && disk.Direct(r.Top, dir+"/.git") {
			out = append(out, at)
		}
	}
	return out
}

// Deserted reports whether the folder of a file of Neighbours is gone, so that no git runs there any more.
func Deserted(path string) bool {
	_, err := os.Lstat(filepath.Dir(path))
	return os.IsNotExist(err)
}
