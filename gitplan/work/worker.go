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
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Worker does tasks. Each has its Workspace, and each Attempt its own values, so that several can be at work at once.
type Worker struct {
	Runner   *runner.Runner
	Checkout *checkout.Checkout   // the Runner's
	Lend     func() (back func()) // leaves the terminal to git until back is called, for a passphrase; may be nil
	Turn     *Turn                // shared with other workers; nil if this is the only one

	unreported unreported
	shared     *shared
	passed     []string // trees, each followed by a command of Done when that passed on it
}

// shared is what workers share that are at work at the same time.
type shared struct {
	spending   Spending
	confined   sync.Once  // sets unconfined
	unconfined error      // why the settings let no program be confined
	signing    sync.Once  // sets cannotSign
	cannotSign error      // why git cannot sign
	forgetting sync.Once  // removes old transcripts
	resting    sync.Map   // agents that were limited or not authorised, and until when their fallback is used at once
	checking   sync.Mutex // serialises checks before any work: what one finds out the next knows
	setAside   []Aside    // the result of SetAside
}

// New returns a worker for the tasks of a runner.
func New(r *runner.Runner) *Worker {
	return &Worker{Runner: r, Checkout: r.Checkout, shared: &shared{}}
}

// ForTurn returns a worker with a runner of its own, for which budgets and limits count together with w's.
func (w *Worker) ForTurn(r *runner.Runner, turn *Turn) *Worker {
	return &Worker{Runner: r, Checkout: r.Checkout, Lend: w.Lend, Turn: turn, shared: w.shared}
}

// Aside says what was taken out of the tree that may be the person's, and how it comes back.
type Aside struct {
	Task string // whose reasons have it, too; "" if none do
	Text string
}

// SetAside returns what was set aside so far.
func (w *Worker) SetAside() []Aside { return w.shared.setAside }

// Start reports that a command begins to work: on what, and which agent and model will do most of it.
func (w *Worker) Start(role agent.Role, command string) {
	c := w.Checkout.Config
	n := journal.Notice{Kind: journal.RunStart, Text: "git plan " + command, Agent: c.AgentName(role), Reason: c.NotChosen(role)}
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
		n.Text = w.Checkout.Doc.Plan.Title
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

// ClearUnreported forgets the sessions of Unreported: an event has just reported them.
func (w *Worker) ClearUnreported() { w.unreported.take() }

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
	e.Took = cmp.Or(e.Took, took)
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

// AccountFailed is Account for sessions that ended in an error, which it returns; nil for nil.
func (w *Worker) AccountFailed(ctx context.Context, why error) error {
	if why == nil {
		return nil
	}
	e := journal.Event{Kind: journal.Failed, Reason: visible.FirstLine(why.Error()), Stopped: ctx.Err() != nil}
	if e.Stopped {
		e.Reason = journal.Interrupted
	}
	if err := w.Account(ctx, e); err != nil {
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

// Work does a task by attempts: a fresh session, its checks, the inspection of its changes, one commit. Afterwards the
// tree holds what is committed, and the rest is kept; if an error ended it, or the set-up changed, by the next step.
func (w *Worker) Work(ctx context.Context, at *workspace.Workspace, t Task) (out Outcome, err error) {
	if err := w.mayBegin(ctx, t); err != nil { // reports the sandbox, and may ask for a passphrase
		return out, err
	}
	if t.Begin != nil {
		t.Begin()
	}
	release, err := w.Runner.LockPlan(ctx)
	if err != nil {
		return out, err
	}
	defer release()
	w.Turn.Release()
	here, leave, err := at.Enter(ctx, t.Role)
	if err != nil {
		return out, err
	}
	defer leave()
	if t.Before != nil {
		held, err := t.Before(ctx, here)
		if err != nil {
			w.Checkout.Task().Abandon(err)
			if ctx.Err() != nil && errors.Is(err, context.Canceled) {
				err = fault.New(fault.ErrInterrupted, "interrupted before a session of %s began", t.Name)
			}
			return out, err
		}
		t.Checks = append(slices.Clip(t.Checks), held...)
	}
	try, err := w.begin(ctx, here, t)
	if err != nil {
		return out, err
	}
	return w.attempts(ctx, here, t, try)
}

// mayBegin returns an error if no session may begin: for the budget, the sandbox, or git's signature.
func (w *Worker) mayBegin(ctx context.Context, t Task) error {
	step := ""
	if t.Role == agent.Executor {
		step = t.Name
	}
	if t.Kept.Message == "" { // work that passed needs no session
		if err := w.shared.spending.Allows(w.Checkout, step); err != nil {
			return err
		}
	}
	if runner.Confinable(t.Agent, t.Role) || len(t.Checks) > 0 {
		s, err := w.Runner.SandboxInForce(ctx)
		if err == nil && s.Kind != proc.Unconfined {
			w.shared.confined.Do(func() { _, w.shared.unconfined = w.Checkout.Sandbox.Confine(s.Kind, w.Checkout.Repo.Top, false) })
			err = w.shared.unconfined
		}
		if err != nil {
			return err
		}
	}
	if s := w.shared; w.signs() {
		s.signing.Do(func() { s.cannotSign = w.trySigning(ctx) })
	}
	return w.shared.cannotSign
}

// attempts makes one attempt after the other, until the task is done or given up.
func (w *Worker) attempts(ctx context.Context, here *workspace.Workspace, t Task, try prompt.Attempt) (Outcome, error) {
	last := try.N + max(t.Attempts, 1) - 1
	if t.needsNoSession(try) {
		last++ // what fails only together with what others did counts as no attempt
	}
	var used agent.Result // by earlier attempts that no event reports
	before := ""          // why the last one failed
	for {
		try.Of = last
		a := w.Attempt(here, t, try)
		out, err := a.run(ctx)
		out.Reason = w.Runner.Masked(out.Reason)
		if t.Record == nil {
			out.Result.Tokens, out.Result.Cost = together(used, out.Result.Tokens, out.Result.Cost)
			used = out.Result
		}
		if err == nil && (out.Status == agent.Failed || out.Status == agent.TimedOut) {
			err = disk.Full(here.Tree().CommonDir) // by which everything fails
		}
		if err != nil {
			err = a.keepWaiting(ctx, &out, err)
			return out, err
		}
		out.Paused = out.Status == agent.Limited && t.Pause != nil && t.Pause() // while it waited
		if out.asked() {
			out.Reason = out.Question()
		}
		a.repeats = before != "" && agent.Fingerprint(out.Reason) == agent.Fingerprint(before)
		more := a.mayTryAgain(&out, try.N == last)
		out.Attempts, out.Counted = try.N, try.N-t.Asked
		if out.Status != agent.Done || t.Record == nil { // else settling reports it
			for _, text := range out.Reported {
				a.report(text)
			}
		}
		switch {
		case out.Status == agent.Done:
			if t.Record == nil {
				w.Checkout.Task().Forget()
			}
			a.dropKept(ctx)
			return out, nil
		case !more:
			if a.repeats && try.N < last && !out.Refused {
				out.Reason = workspace.AlsoSay(out.Reason, "the same failure again, so no more attempts are made")
			}
			if try.Question != "" && !out.asked() && !out.stopped() { // its answer may be what is missing
				out.Reason = workspace.AlsoSay(out.Reason, "an attempt had asked, and does not count: "+visible.OneLine(try.Question, 400))
			}
			err = a.giveUp(ctx, &out)
			return out, err
		}
		if out.asked() { // a question counts as no attempt
			last++
			t.Asked++
		}
		before = out.Reason
		if try, err = a.nextAttempt(ctx, &out); err != nil || out.Paused {
			return out, err
		}
	}
}
