package site

import (
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Found is what a task found in the work tree that no commit has, and the tree that keeps it: if
// the next task finds the same, it need not keep it again.
type Found struct {
	Files   []worktree.RawFile
	Tree    string   // that keeps them; "" if it keeps none
	LeftOut []string // that could not be kept
}

// Found returns what the last task found.
func (s *Site) Found() Found {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found
}

// SetFound notes what a task found.
func (s *Site) SetFound(f Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = f
}
