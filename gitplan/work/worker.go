package work

import (
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/budget"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Worker does tasks. It knows only what they all share: a task has its Place, and an Attempt its
// own values, so that several can be under way at once.
type Worker struct {
	*site.Site
	// Lend leaves the terminal to git, which may ask for a passphrase, until back
	// is called. It may be nil.
	Lend func() (back func())

	// Turn is this worker's right to use the work tree, the branch and the index, of which there is
	// one while others are at work beside it; see Beside.
	Turn *Turn

	unreported unreported
	once       sync.Once
	shared     *shared // see common
}

// shared is what workers share that are at work at the same time.
type shared struct {
	spending   budget.Spending
	signing    signing
	forgetting sync.Once // old transcripts
	resting    resting
	proving    sync.Mutex // around checks before any work: what one finds out the next knows
}

// common returns what a worker shares with those beside it.
func (w *Worker) common() *shared {
	w.once.Do(func() {
		if w.shared == nil {
			w.shared = &shared{}
		}
	})
	return w.shared
}

// Beside returns a worker for tasks that are at work at the same time as those of w, in a site of
// its own. Budgets and limits count for all of them together; turn says whose turn it is at the
// work tree.
func (w *Worker) Beside(s *site.Site, turn *Turn) *Worker {
	return &Worker{Site: s, Lend: w.Lend, Turn: turn, shared: w.common()}
}

// Proving keeps others at work from running checks before their own work, until done is called.
func (w *Worker) Proving() (done func()) {
	w.common().proving.Lock()
	return w.common().proving.Unlock
}

// resting are the agents that met a limit or were not authorised, and until
// when their fallback is used at once. Reviewers' sessions run side by side.
type resting struct {
	mu    sync.Mutex
	until map[string]time.Time
}
