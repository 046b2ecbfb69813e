package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// protectState makes the folder in which git plan keeps approvals, notes and clones
// read-only, except for a session's own clone, if it lies in a folder that sessions may write: a
// shared temporary folder, which holds the home in CI, or a tree that is the home. In bwrap
// each folder above it becomes a mount, which nobody can move away to put another in its
// place. Landlock can do neither.
func protectState(all *confine.Bounds, own []string, at *disk.Links) {
	folder, err := journal.StateFolder()
	if err != nil {
		return
	}
	reached := func(path string) bool {
		return slices.ContainsFunc(slices.Concat(all.Writable, own), func(w string) bool {
			w = at.Real(w)
			private := slices.ContainsFunc(all.Private, func(m confine.Mount) bool { return m.To == w })
			return !private && w != path && disk.Within(w, path)
		})
	}
	state := filepath.Join(folder, "git-plan")
	there := state
	for !at.There(there) {
		there = filepath.Dir(there)
	}
	if !reached(at.Real(there)+state[len(there):]) || os.MkdirAll(state, 0o700) != nil {
		return
	}
	state = disk.Real(state)
	all.ReadOnly = append(all.ReadOnly, state)
	var above []string
	for dir := filepath.Dir(state); all.By == confine.Bwrap && reached(dir); dir = filepath.Dir(dir) {
		above = append(above, dir)
	}
	all.Writable = append(all.Writable, above...)
}
