package place

import (
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Leftover is what a session, or a check, left in the tree.
type Leftover struct {
	Status *worktree.Status
	Added  []string     // untracked files that are new since the task began
	Folded []git.Commit // the session's own commits, oldest first, which are in the tree now

	Formats   bool   // a commit hook changed it, and did not refuse
	Formatted string // the tree that this made

	Touched []string // the person's untracked files that the session changed
}

func (l *Leftover) Empty() bool { return l.Status.Clean() && len(l.Added) == 0 }

// Paths returns what a commit would take of it.
func (l *Leftover) Paths() []string { return append(l.Status.Unstaged(), l.Added...) }

// added returns the untracked files that are new since the task began.
func (p *Place) added(s *worktree.Status) []string { return p.unseenLook().Added(s) }

// Left returns what is in the tree when a person says that they are done.
func (p *Place) Left() *Leftover { return &Leftover{Status: p.Before, Added: p.added(p.Before)} }
