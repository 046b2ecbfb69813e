package work

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Worker does tasks. It knows only what they all share: a task has its Place, and an Attempt its
// own values, so that several can be under way at once.
type Worker struct {
	Runner   *runner.Runner
	Checkout *checkout.Checkout // that of Runner
	// Lend leaves the terminal to git, which may ask for a passphrase, until back
	// is called. It may be nil.
	Lend func() (back func())

	// Turn is this worker's right to use the work tree, the branch and the index, of which there is
	// one while others are at work beside it; see ForTurn.
	Turn *Turn

	unreported unreported
	once       sync.Once
	shared     *shared // see common
}

// shared is what workers share that are at work at the same time.
type shared struct {
	spending   Spending
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

// New returns a worker for the tasks of a site.
func New(s *runner.Runner) *Worker { return &Worker{Runner: s, Checkout: s.Checkout} }

// ForTurn returns a worker for tasks that are at work at the same time as those of w, in a site of
// its own. Budgets and limits count for all of them together; turn says whose turn it is at the
// work tree.
func (w *Worker) ForTurn(s *runner.Runner, turn *Turn) *Worker {
	return &Worker{Runner: s, Checkout: s.Checkout, Lend: w.Lend, Turn: turn, shared: w.common()}
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

// Start reports that a command begins to work: on what, and which agent and model will do most of
// it. who is the word by which a person chose these for this command, or "".
func (w *Worker) Start(role agent.Role, title, who string) {
	name, model := w.Checkout.Config.AgentAndModel(who)
	n := journal.Notice{Kind: journal.RunStart, Text: title, Agent: cmp.Or(name, w.Checkout.Config.AgentName(role))}
	if name == "" {
		n.Reason = w.Checkout.Config.NotChosen(role)
	}
	if a, err := w.Checkout.Config.NamedAgent(n.Agent, role); err == nil {
		n.Model = modelOf(a, agent.Session{Model: model})
		n.Reason = strings.Join(slices.DeleteFunc([]string{n.Reason, outside(a)}, func(s string) bool { return s == "" }), "; ")
	}
	w.Runner.Report(n)
}

// outside says of an agent that it does not work in the sandbox which the heading names: only the
// checks of its work do. "" if it does.
func outside(a agent.Agent) string {
	switch a := a.(type) {
	case *cli.Command:
		return "outside the sandbox"
	case *cli.Agent:
		if a.OwnSandbox() {
			return "in a sandbox of its own"
		}
	}
	return ""
}

// Unreported returns the sessions that no event has reported yet; Remember adds those of an earlier
// process that died before it could.
func (w *Worker) Unreported() []journal.RoleUsage {
	w.unreported.mu.Lock()
	defer w.unreported.mu.Unlock()
	return slices.Clone(w.unreported.held)
}

// Remember adds to Unreported the sessions of an earlier process. The event that will report them
// leaves out how long they took.
func (w *Worker) Remember(held []journal.RoleUsage) {
	w.common().spending.Remember(w.Checkout.Config, held)
	w.unreported.mu.Lock()
	defer w.unreported.mu.Unlock()
	for _, h := range held {
		h.Took = 0
		w.unreported.held = append(w.unreported.held, h)
	}
}

// Reported forgets the sessions of Unreported: an event has just reported them.
func (w *Worker) Reported() { w.unreported.take() }

// WithSessions returns an event that reports the sessions of Unreported.
func (w *Worker) WithSessions(e journal.Event) journal.Event {
	var took time.Duration
	e.Usage, took = w.unreported.take()
	for _, h := range e.Usage {
		e.Tokens, e.Cost = e.Tokens.Add(h.Tokens), e.Cost.Add(h.Cost)
	}
	if len(e.Usage) == 1 {
		e.Agent = e.Usage[0].Agent
	}
	if len(e.Usage) > 0 && e.Took == 0 {
		e.Took = took
	}
	return e
}

// Account writes an event of the whole plan for the sessions that no other event reports: what
// they used is counted, whatever became of their work.
func (w *Worker) Account(ctx context.Context, e journal.Event) error {
	if e = w.WithSessions(e); w.Checkout.Doc == nil || len(e.Usage) == 0 {
		return nil
	}
	e.By = journal.ByAgent
	return w.Checkout.Store.Apply(context.WithoutCancel(ctx), w.Checkout.Doc, w.Checkout.Branch, journal.Change{Event: e})
}

// AccountFailed is Account for sessions that ended in an error, which it returns.
func (w *Worker) AccountFailed(ctx context.Context, why error) error {
	reason := visible.FirstLine(why.Error())
	if ctx.Err() != nil {
		reason = journal.Interrupted
	}
	if err := w.Account(ctx, journal.Event{Kind: journal.Failed, Reason: reason}); err != nil {
		return errors.Join(why, err)
	}
	return why
}

// unreported holds the sessions of this process that no event reports yet. Reviewers'
// sessions run side by side.
type unreported struct {
	mu           sync.Mutex
	held         []journal.RoleUsage
	began, ended time.Time // the first, the last
}

// note adds a session that has ended. Sessions whose agent reported nothing are counted apart, so
// that the sums of the others are complete.
func (u *unreported) note(role agent.Role, r agent.Result, began time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.began.IsZero() || began.Before(u.began) {
		u.began = began
	}
	u.ended = time.Now()
	took := u.ended.Sub(began)
	for i := range u.held {
		h := &u.held[i]
		if h.Role == role && h.Agent == r.Agent && h.Cost.Known == r.Cost.Known && (h.Tokens.Unreported > 0) == (r.Tokens.Unreported > 0) && h.Took > 0 {
			h.Sessions, h.Tokens, h.Cost, h.Took = h.Sessions+1, h.Tokens.Add(r.Tokens), h.Cost.Add(r.Cost), h.Took+took
			return
		}
	}
	u.held = append(u.held, journal.RoleUsage{Role: role, Agent: r.Agent, Sessions: 1, Tokens: r.Tokens, Cost: r.Cost, Took: took})
}

// take returns them, and how long they took from the first to the last; the caller
// reports them.
func (u *unreported) take() ([]journal.RoleUsage, time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	held, took := u.held, u.ended.Sub(u.began)
	u.held, u.began, u.ended = nil, time.Time{}, time.Time{}
	return held, took
}
