package worktree

import (
	"bufio"
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// Neighbours returns the files, and the folders of hooks, that decide what a git executes that
// finds another repository than this one: because it runs in a linked work tree, in a submodule,
// or in the folder of a submodule that is not checked out. Files that do not exist count: a
// session could create them. It starts no process.
func Neighbours(r *git.Repo) (files, folders []string) {
	n := &neighbours{oid: len(r.Zero()) / 2}
	if at := filepath.Join(r.Top, ".git"); isRegular(at) {
		n.files = append(n.files, at)
	}
	trees, _ := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	for _, t := range trees {
		at := filepath.Join(r.CommonDir, "worktrees", t.Name())
		n.files = append(n.files, filepath.Join(at, "commondir"), filepath.Join(at, "gitdir"), filepath.Join(at, "config.worktree"))
	}
	for _, top := range linkedTops(r) {
		n.files = append(n.files, filepath.Join(top, ".git"))
	}
	n.submodules(r.Top, r.IndexFile(), 0)
	return n.files, n.folders
}

// linkedTops returns the top folders of the linked work trees. It starts no process.
func linkedTops(r *git.Repo) (tops []string) {
	folder := filepath.Join(r.CommonDir, "worktrees")
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if at, err := os.ReadFile(filepath.Join(folder, e.Name(), "gitdir")); err == nil {
			tops = append(tops, filepath.Dir(strings.TrimSpace(string(at))))
		}
	}
	return tops
}

// Deserted reports whether a file of Neighbours is gone together with its folder: then the work
// tree was removed, and no git runs in it.
func Deserted(path string) bool {
	_, err := os.Lstat(filepath.Dir(path))
	return os.IsNotExist(err)
}

// neighbours collects what Neighbours returns.
type neighbours struct {
	files, folders []string
	oid            int // length of an object's name, in bytes
}

const mostNested = 10 // submodules in submodules

// submodules adds the submodules of a work tree with an index, and the submodules in them.
func (n *neighbours) submodules(top, index string, depth int) {
	if depth == mostNested {
		return
	}
	data, _ := os.ReadFile(index)
	var paths []string
	eachEntry(data, n.oid, func(e indexEntry) {
		if e.mode>>12 == 0o16 {
			paths = append(paths, e.name)
		}
	})
	for _, p := range append(paths, namedModules(filepath.Join(top, ".gitmodules"))...) {
		at := filepath.Join(top, filepath.FromSlash(p))
		git := filepath.Join(at, ".git")
		if !filepath.IsLocal(p) || slices.Contains(n.files, git) {
			continue
		}
		n.files = append(n.files, git)
		dir := git
		if isRegular(git) {
			text, _ := os.ReadFile(git)
			if dir = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: ")); !filepath.IsAbs(dir) {
				dir = filepath.Join(at, dir)
			}
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue // it is not checked out
		}
		for _, name := range []string{"config", "config.worktree", "info/attributes", "commondir"} {
			n.files = append(n.files, filepath.Join(dir, name))
		}
		n.folders = append(n.folders, filepath.Join(dir, "hooks"))
		n.submodules(at, filepath.Join(dir, "index"), depth+1)
	}
}

// namedModules returns the paths in a .gitmodules, since eachEntry cannot read every index.
func namedModules(file string) (paths []string) {
	if !isRegular(file) {
		return nil
	}
	data, _ := os.ReadFile(file)
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok && strings.TrimSpace(key) == "path" {
			paths = append(paths, strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return paths
}

func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// What git leaves alone in files of a session's own (git.Repo.PrivateWorktree), and what it must not.

// PinSubmodules makes git leave submodules alone. To see whether one changed, git would run git in
// it, which obeys the configuration there.
func PinSubmodules(ctx context.Context, r *git.Repo) error { return pinSubmodules(ctx, r, nil) }

// pinSubmodules is PinSubmodules in the index that env names.
func pinSubmodules(ctx context.Context, r *git.Repo, env []string) error {
	in, err := staged(ctx, r, env)
	if err != nil {
		return err
	}
	return pin(ctx, r, env, in.submodules)
}

func pin(ctx context.Context, r *git.Repo, env, submodules []string) error {
	if len(submodules) == 0 {
		return nil
	}
	return r.Run(ctx, git.Command{Args: []string{"update-index", "--skip-worktree", "-z", "--stdin"}, Env: env, Stdin: nulEnded(submodules)})
}

// OnlyFiles reports whether all that an index holds is files that git checks out: no submodule,
// nothing unmerged, and no part of a sparse checkout.
func OnlyFiles(ctx context.Context, r *git.Repo) (bool, error) {
	in, err := staged(ctx, r, nil)
	_, sparse := os.Lstat(filepath.Join(r.GitDir, "info/sparse-checkout"))
	return err == nil && !in.links && !in.unmerged && sparse != nil, err
}

// unskip makes git look at files that exist although the patterns of a sparse checkout leave them
// out. git does that by itself, but not with sparse.expectFilesOutsideOfPatterns.
func unskip(ctx context.Context, r *git.Repo) error {
	if _, err := os.Stat(filepath.Join(r.GitDir, "info/sparse-checkout")); err != nil {
		return nil
	}
	skipped, err := hiddenFiles(ctx, r)
	if err != nil {
		return err
	}
	var there []string
	for _, f := range skipped {
		if info, err := os.Lstat(filepath.Join(r.Top, filepath.FromSlash(f.Path))); err == nil && !info.IsDir() {
			there = append(there, f.Path)
		}
	}
	if len(there) == 0 {
		return nil
	}
	return markEntries(ctx, r, "--no-skip-worktree", there)
}
