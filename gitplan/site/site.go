package site

import (
	"io"
	"os"
	"sync"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/sandbox"
)

// Site is a checkout in which something is worked on: what all tasks of one command share.
// Several tasks may use it at once.
type Site struct {
	*checkout.Checkout
	On func(journal.Notice) // may be nil; never called twice at once
	// Mask takes secrets out of what sessions say, and the checks and hooks that they run into:
	// secret.Mask, which the command sets, since the reviewers are above this package. It may be
	// nil.
	Mask func(text string) string
	// Aside is the stash with the person's changes while these are set aside; "" if none is.
	Aside string

	mu     sync.Mutex
	clock  *os.File // see Now
	found  Found
	shared *shared // see common
}

// shared is what the sites of one command share whose tasks are at work at the same time.
type shared struct {
	reporting sync.Mutex
	reported  map[string]bool // see Once
	sandboxed sandboxed

	holding sync.Mutex // around holders and held
	holders int        // how many need the plan's text as it is, see LockPlan
	held    io.Closer  // its lock, while somebody does
}

// common returns what a site shares with those beside it.
func (s *Site) common() *shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		s.shared = &shared{}
	}
	return s.shared
}

// Beside returns the site of another checkout of the same work tree, for a task that is at work
// at the same time as those of s: they hold the plan together, and their notices come one at a
// time.
func (s *Site) Beside(c *checkout.Checkout) *Site {
	return &Site{Checkout: c, On: s.On, Mask: s.Mask, Aside: s.Aside, shared: s.common()}
}

// sandboxed is the sandbox in force, found out and reported once for each site.
type sandboxed struct {
	once    sync.Once
	inForce sandbox.InForce
	err     error
}
