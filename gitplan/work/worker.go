package work

import (
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/site"
)

// Worker does tasks. What it knows is of all of them: a task has its Place, and an Attempt its
// own values, so that several can be under way at once.
type Worker struct {
	*site.Site
	// Lend leaves the terminal to git, which may ask for a passphrase, until back
	// is called. It may be nil.
	Lend func() (back func())

	spending   spending
	forgetting sync.Once // old transcripts
	untold     untold
	resting    resting
}

// spending counts what a plan has used: what its events report from before this
// process, and every session that this process ran or runs. Reviewers' sessions
// run side by side, so several ask at once.
type spending struct {
	mu      sync.Mutex
	before  map[string]spent // by step; "" is the whole plan
	earlier spent            // by sessions of an earlier process that no event reports
	held    map[string]spent // by session
	steps   map[string]string
	told    map[string]bool // the limits that a person was warned of
	not     unknown         // of the sessions of this process
	lacks   unknown         // of all those before
	atStep  unknown         // of those before at any step: no limit of a step could be held there
}

// resting are the agents that met a limit or were not authorised, and until
// when their fallback is used at once. Reviewers' sessions run side by side.
type resting struct {
	mu    sync.Mutex
	until map[string]time.Time
}
