package worktree

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

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
	for _, top := range r.WorkTrees() {
		n.files = append(n.files, filepath.Join(top, ".git"))
	}
	n.submodules(r.Top, r.IndexFile(), 0)
	return n.files, n.folders
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
