package place

import (
	"os"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/sandbox"
)

// Place is where sessions and checks work, and everything that they must leave as it was.
type Place struct {
	*checkout.Checkout
	On func(journal.Notice) // may be nil; never called twice at once
	// Mask takes secrets out of what sessions, and the checks and hooks that they
	// run into, say. It may be nil.
	Mask func(text string) string

	telling    sync.Mutex
	Clone      *git.Repo                   // where sessions and checks work, see clone.go; nil: in the work tree
	Before     *worktree.Status            // the tree when the task began: clean but for untracked files
	Index      *worktree.Index             // as it was then; nil where a person works by hand
	Own        checkout.InProgress         // what was there then and is the person's
	Byproducts map[string]bool             // files that checks wrote while a session was there
	Onto       string                      // the commit below the one that ends the task
	seen       map[string]worktree.RawFile // untracked files as they were after the last session
	clock      *os.File                    // see now
	Since      time.Time                   // when its session began, or a check of it ended: see OutOfSight
	First      time.Time                   // when the task began
	unseen     []string                    // what the session did by then that git ignores
	Aside      string                      // the stash with the person's changes, see Autostash
	sandboxed  sandboxed
	Based      map[string]string // what the work is compared with, when its session began
	Tip        string            // of the plan when its text was held; only this program moves it on
}

// Tree is where sessions work: the work tree, or the clone that takes its place.
func (p *Place) Tree() *git.Repo {
	if p.Clone != nil {
		return p.Clone
	}
	return p.Repo
}

// sandboxed finds out once for each run which sandbox is in force, and tells it.
type sandboxed struct {
	once    sync.Once
	inForce sandbox.InForce
	err     error
}
