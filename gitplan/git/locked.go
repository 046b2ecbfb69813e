package git

import (
	"os"
	"path/filepath"
	"strings"
)

// Lock is a lock file of git.
type Lock struct {
	Path   string
	Shared bool // it locks all work trees, not only this one
	Info   os.FileInfo
}

// Locks returns the lock files that keep git from changing the index, HEAD or its branch in
// this work tree. It starts no process.
func (r *Repo) Locks() (locks []Lock) {
	add := func(shared bool, elem ...string) {
		path := filepath.Join(elem...)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			locks = append(locks, Lock{path, shared, info})
		}
	}
	add(false, r.IndexFile()+".lock")
	add(false, r.GitDir, "HEAD.lock")
	if head, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: "); ok && ref != "refs/heads/.invalid" {
			add(true, r.CommonDir, ref+".lock")
		}
	}
	add(true, r.CommonDir, "reftable", "tables.list.lock")
	return locks
}

// SharedLocks returns the lock files of what all work trees share and only few commands write:
// the configuration, the packed refs, the boundary of a shallow history, and maintenance.
func (r *Repo) SharedLocks() []Lock {
	return r.locksAt("config", "packed-refs", "shallow", "objects/maintenance")
}

// RefLocks returns the lock files of the given refs that exist.
func (r *Repo) RefLocks(refs ...string) []Lock { return r.locksAt(refs...) }

func (r *Repo) locksAt(names ...string) (locks []Lock) {
	for _, name := range names {
		path := filepath.Join(r.CommonDir, filepath.FromSlash(name)+".lock")
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			locks = append(locks, Lock{path, true, info})
		}
	}
	return locks
}

// WorkTrees returns the top folders of the linked work trees. It starts no process.
func (r *Repo) WorkTrees() (tops []string) {
	folder := filepath.Join(r.CommonDir, "worktrees")
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if at, err := os.ReadFile(filepath.Join(folder, e.Name(), "gitdir")); err == nil {
			tops = append(tops, filepath.Dir(strings.TrimSpace(string(at))))
		}
	}
	return tops
}

// lockedBy returns the lock file because of which git refused to write, or "" if there is none.
func (r *Repo) lockedBy(c Command, code int) string {
	command, _ := subcommand(c.Args)
	var locks []Lock
	switch {
	case command == "config" && code == 255: // its exit code for a lock
		locks = r.locksAt("config")
	case !c.Writes || code != Died: // its exit code, too, if it cannot lock
	case command == "update-ref":
		for _, arg := range c.Args {
			if strings.HasPrefix(arg, "refs/") {
				locks = append(locks, r.RefLocks(arg)...)
			}
		}
		locks = append(locks, r.locksAt("packed-refs")...)
	default:
		locks = append(r.Locks(), r.locksAt("refs/stash", "shallow")...)
	}
	for _, l := range locks {
		return l.Path
	}
	return ""
}
