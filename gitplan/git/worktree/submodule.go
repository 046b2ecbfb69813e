package worktree

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// submodule is a submodule that is checked out in the work tree.
type submodule struct {
	Path   string // in the work tree, with slashes
	GitDir string // below this repository's modules folder
}

// submodules returns the submodules that git itself checked out: their repository is in the
// modules folder, and the .git in their work tree names it. A session may have put anything
// anywhere else in the work tree. It starts no process.
func submodules(r *git.Repo) (out []submodule) {
	modules := filepath.Join(r.GitDir, "modules")
	_ = filepath.WalkDir(modules, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
			return nil // a part of a name with slashes
		}
		if path, ok := checkedOutAt(r, dir); ok {
			out = append(out, submodule{path, dir})
		}
		return fs.SkipDir
	})
	return out
}

// checkedOutAt returns the path in the work tree at which a repository of the modules folder is
// checked out; ok is false if there is none.
func checkedOutAt(r *git.Repo, gitDir string) (path string, ok bool) {
	top := coreWorktree(filepath.Join(gitDir, "config"))
	if top == "" {
		return "", false
	}
	if !filepath.IsAbs(top) {
		top = filepath.Join(gitDir, top)
	}
	path, err := filepath.Rel(r.Top, top)
	if err != nil || !filepath.IsLocal(path) || path == "." {
		return "", false
	}
	text, err := os.ReadFile(filepath.Join(top, ".git"))
	named, isFile := strings.CutPrefix(strings.TrimRight(string(text), "\n"), "gitdir: ")
	if err != nil || !isFile {
		return "", false
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(top, named)
	}
	return filepath.ToSlash(path), filepath.Clean(named) == filepath.Clean(gitDir)
}

// coreWorktree returns core.worktree in a file of configuration that git submodule wrote.
func coreWorktree(file string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			value = strings.TrimSpace(value)
			if plain, err := strconv.Unquote(value); err == nil {
				return plain
			}
			return value
		}
	}
	return ""
}

// inSubmodules adds to a status what is not committed in the submodules. git itself would find
// that out by a git in each of them that obeys the settings there. Each of these runs nothing,
// like every other git of ours, and does not look into submodules in the submodule.
func inSubmodules(ctx context.Context, r *git.Repo, s *Status) error {
	for _, m := range submodules(r) {
		out, err := r.Submodule(filepath.Join(r.Top, m.Path), m.GitDir).Bytes(ctx, "--no-optional-locks", "status", "--porcelain=v2", "-z", "--ignore-submodules=dirty", "--no-renames")
		if err != nil {
			return err
		}
		if len(out) == 0 {
			continue
		}
		s.Inside = append(s.Inside, m.Path)
		tracked := out[0] != '?' || bytes.Contains(out, []byte("\x001 ")) || bytes.Contains(out, []byte("\x002 ")) || bytes.Contains(out, []byte("\x00u "))
		if tracked && !s.has(m.Path) { // untracked files alone do not make it changed
			s.Changed = append(s.Changed, Change{Path: m.Path, XY: ".M", Submodule: true})
		}
	}
	return nil
}
