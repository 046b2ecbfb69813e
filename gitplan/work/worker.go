package work

import (
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
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Worker does tasks. Each has its Workspace, and each Attempt its own values, so that several can be at work at once.
type Worker struct {
	Runner   *runner.Runner
	Checkout *checkout.Checkout // the Runner's
	// Lend leaves the terminal to git, which may ask for a passphrase, until back is called. It may be nil.
	Lend func() (back func())
	Turn *Turn // of one of several workers; nil if it is the only one

	unreported unreported
	shared     *shared
	passed     []string // commands of Done when, each after the tree on which it passed
}

// shared is what workers share that are at work at the same time.
type shared struct {
	spending   Spending
	confined   sync.Once  // a look at whether settings let programs be confined
	unconfined error      // why they do not
	signing    sync.Once  // a try to sign
	cannotSign error      // how that failed
	forgetting sync.Once  // old transcripts
	resting    sync.Map   // agents that met a limit or were not authorised, and until when their fallback is used at once
	checking   sync.Mutex // around checks before any work: what one finds out the next knows
	aside      []string   // what was taken out of the tree that is the person's as well, and how it comes back
}

// New returns a worker for the tasks of a runner.
func New(r *runner.Runner) *Worker {
	return &Worker{Runner: r, Checkout: r.Checkout, shared: &shared{}}
}

// ForTurn returns a worker with a runner of its own, for which budgets and limits count together with w's.
func (w *Worker) ForTurn(r *runner.Runner, turn *Turn) *Worker {
	return &Worker{Runner: r, Checkout: r.Checkout, Lend: w.Lend, Turn: turn, shared: w.shared}
}

// SetAside returns what was taken out of the person's tree since no session explained it, and how it comes back.
func (w *Worker) SetAside() []string { return w.shared.aside }

// Start reports that a command begins to work: on what, and which agent and model will do most of it.
func (w *Worker) Start(role agent.Role, title string) {
	c := w.Checkout.Config
	n := journal.Notice{Kind: journal.RunStart, Text: title, Agent: c.AgentName(role), Reason: c.NotChosen(role)}
	if a, err := c.NamedAgent(n.Agent, role); err == nil {
		n.Model = modelOf(a, agent.Session{})
		if program, ok := a.(*cli.Agent); ok && program.OwnSandbox() { // and not in the one which the heading names
			n.Reason += "; in a sandbox of its own"
		} else if _, ok := a.(*cli.Command); ok {
			n.Reason += "; outside the sandbox"
		}
		n.Reason = strings.TrimPrefix(n.Reason, "; ")
	}
	if p := w.Checkout.Progress; p != nil {
		n = p.Counted(n)
		n.Goal = progress.Standing(progress.Courses(w.Checkout.Doc.Events))
	}
	w.Runner.Report(n)
}

// Unreported returns the sessions that no event has reported yet.
func (w *Worker) Unreported() []journal.RoleUsage {
	w.unreported.mu.Lock()
	defer w.unreported.mu.Unlock()
	return slices.Clone(w.unreported.sessions)
}

// Remember adds to Unreported, without their times, sessions of an earlier process that died before it reported them.
func (w *Worker) Remember(sessions []journal.RoleUsage) {
	w.shared.spending.Remember(w.Checkout.Config, sessions)
	w.unreported.mu.Lock()
	defer w.unreported.mu.Unlock()
	for _, s := range sessions {
		s.Took = 0
		w.unreported.sessions = append(w.unreported.sessions, s)
	}
}

// Reported forgets the sessions of Unreported: an event has just reported them.
func (w *Worker) Reported() { w.unreported.take() }

// WithSessions returns an event that reports the sessions of Unreported.
func (w *Worker) WithSessions(e journal.Event) journal.Event {
	var took time.Duration
	e.Usage, took = w.unreported.take()
	for _, s := range e.Usage {
		e.Tokens, e.Cost = e.Tokens.Add(s.Tokens), e.Cost.Add(s.Cost)
	}
	if len(e.Usage) == 1 {
		e.Agent = e.Usage[0].Agent
	}
	if len(e.Usage) > 0 && e.Took == 0 {
		e.Took = took
	}
	return e
}

// Account writes an event of the whole plan for the sessions that no other event reports.
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

// unreported has the sessions of this process that no event reports yet. Reviewers' sessions run in parallel.
type unreported struct {
	mu           sync.Mutex
	sessions     []journal.RoleUsage
	began, ended time.Time // the first, the last
}

// note adds a session that has ended; one whose agent reported nothing is counted apart.
func (u *unreported) note(role agent.Role, r agent.Result, began time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.began.IsZero() || began.Before(u.began) {
		u.began = began
	}
	u.ended = time.Now()
	took := u.ended.Sub(began)
	for i := range u.sessions {
		s := &u.sessions[i]
		if s.Role == role && s.Agent == r.Agent && s.Cost.Known == r.Cost.Known &&
			(s.Tokens.Unreported > 0) == (r.Tokens.Unreported > 0) && s.Took > 0 {
			s.Sessions, s.Tokens, s.Cost, s.Took = s.Sessions+1, s.Tokens.Add(r.Tokens), s.Cost.Add(r.Cost), s.Took+took
			return
		}
	}
	u.sessions = append(u.sessions,
		journal.RoleUsage{Role: role, Agent: r.Agent, Sessions: 1, Tokens: r.Tokens, Cost: r.Cost, Took: took})
}

// take returns them, and how long they took from the first to the last; the caller reports them.
func (u *unreported) take() ([]journal.RoleUsage, time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	sessions, took := u.sessions, u.ended.Sub(u.began)
	u.sessions, u.began, u.ended = nil, time.Time{}, time.Time{}
	return sessions, took
}
