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

// Neighbours returns the files, and the folders of hooks, by which it is decided what a git
// executes that comes upon another repository than this one: where it is run in a linked
// work tree, in a submodule, or in a folder that is to be one and is not checked out. What
// is not there counts: a session could put it there. It starts no process.
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

// Deserted reports that a file of Neighbours is gone with the folder that it was in: a
// work tree that was removed, in which no git is run.
func Deserted(path string) bool {
	_, err := os.Lstat(filepath.Dir(path))
	return os.IsNotExist(err)
}

type neighbours struct {
	files, folders []string
	oid            int // bytes of an object's name
}

const mostNested = 10 // submodules in submodules

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

// namedModules returns the paths of a .gitmodules, for indexes of a form that is not read here.
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
