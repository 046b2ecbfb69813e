package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked says that a lock file of git stands in the way of a change: another git
// works here, or one died.
var ErrLocked = errors.New("a lock file of git is in the way")

// Lock is a lock file of git.
type Lock struct {
	Path string
	// Whole is a lock of all work trees, not of one.
	Whole bool
	Info  os.FileInfo
}

// Locks are the lock files that stand in the way of whoever changes the index, HEAD or
// its branch in this work tree. It starts no process.
func (r *Repo) Locks() (locks []Lock) {
	add := func(whole bool, elem ...string) {
		path := filepath.Join(elem...)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			locks = append(locks, Lock{path, whole, info})
		}
	}
	add(false, r.indexFile()+".lock")
	add(false, r.GitDir, "HEAD.lock")
	if head, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: "); ok && ref != "refs/heads/.invalid" {
			add(true, r.CommonDir, ref+".lock")
		}
	}
	add(true, r.CommonDir, "reftable", "tables.list.lock")
	return locks
}

// lockedBy is the lock file that a git that writes was refused by, if one is there.
func (r *Repo) lockedBy(c Command, code int) string {
	if !c.Writes || code != 128 { // with which git dies that could not lock
		return ""
	}
	for _, l := range r.Locks() {
		return l.Path
	}
	return ""
}

// InTheWay says that a lock file stands in the way, and who may be holding it.
func InTheWay(lock, who string) string {
	if who == "" {
		return fmt.Sprintf("%s is in the way: another git works here, or one died", lock)
	}
	return fmt.Sprintf("%s is in the way: %s is at work here", lock, who)
}
