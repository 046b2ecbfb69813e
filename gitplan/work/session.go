package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/remote"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// SessionID returns a name for the session of an attempt.
func SessionID(t Task, n int) string {
	return fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(t.Name, "/", "-"), n, integrity.Random(3))
}

// Confiner is where a session runs: a workspace, or the runner for sessions that only read.
type Confiner interface {
	Agent(a agent.Agent, role agent.Role) agent.Agent
	ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*proc.Confinement, error)
}

// RunTask runs one session in try.Dir and reports what happens in it.
func (w *Worker) RunTask(ctx context.Context, in Confiner, t Task, try *prompt.Attempt,
	accept func(agent.Result) error) agent.Result {
	try.Nonce = integrity.Random(8)
	s := t.Session
	s.ID, s.Plan, s.Branch, s.Role, s.Attempt = try.Session, w.Checkout.Loaded(), w.Checkout.Branch, t.Role, try.N
	s.Beside, s.Dir, s.Nonce, s.Prompt = w.Checkout.Slot != "", try.Dir, try.Nonce, t.Prompt(*try)
	s.Stopping = t.Pause
	s.Accept = func(_ context.Context, r agent.Result) error { return accept(r) }
	if t.Role == agent.Executor {
		s.Step = t.Name
	}
	return w.RunSession(ctx, in, t.Agent, s)
}

// RunReview runs a session that only reads, in a tree that is not the person's, with the limits of its role.
func (w *Worker) RunReview(ctx context.Context, a agent.Agent, s agent.Session) agent.Result {
	if err := w.SetLimits(&s, s.Role); err != nil {
		return agent.Result{Status: agent.Failed, Reason: err.Error()}
	}
	s.ID = cmp.Or(s.ID, fmt.Sprintf("%s-%d-%s", s.Role, s.Review.Round, integrity.Random(3)))
	return w.RunSession(ctx, w.Runner, a, s)
}

// RunSession runs a session with an agent, or the role's fallback, as far as the budgets allow.
func (w *Worker) RunSession(ctx context.Context, in Confiner, a agent.Agent, s agent.Session) (r agent.Result) {
	spending := &w.shared.spending
	allowed, err := spending.Of(w.Checkout, s, w.Runner.Report)
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	if err := allowed("", agent.Tokens{}, agent.Cost{}); err != nil {
		return agent.Result{Status: agent.Stopped, Reason: err.Error()}
	}
	s.Spend = func(t agent.Tokens, c agent.Cost) error { return allowed(a.Name(), t, c) }
	s.MaxUSD = spending.leftUSD(w.Checkout)
	began := time.Now()
	r = w.runOrFallBack(ctx, in, a, s)
	err = allowed(cmp.Or(r.Agent, a.Name()), r.Tokens, r.Cost)
	if err != nil && r.Status == agent.Failed && s.MaxUSD > 0 && r.Cost.USD >= s.MaxUSD { // the program stopped there
		r.Status, r.Reason = agent.Stopped, err.Error()
	}
	if r.Status != agent.Unusable { // a session that never began is not counted
		w.unreported.note(s.Role, r, began)
	}
	return r
}

// runOrFallBack runs a session. If its agent is limited, others continue in the same attempt: with the role's fallback,
// and after a wait, if the agent says when the limit ends and that is within plan.waitOnLimit.
func (w *Worker) runOrFallBack(ctx context.Context, in Confiner, a agent.Agent, s agent.Session) (r agent.Result) {
	other, err := w.Checkout.Config.Fallback(s.Role)
	left, wrong := w.Checkout.Config.Duration("plan.waitOnLimit")
	if err = cmp.Or(err, wrong); err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	other = cmp.Or(other, a)
	if _, ok := other.(*builtin.Agent); ok { // it waits in its session
		left = 0
	}
	use, resting, ends := a, &w.shared.resting, time.Duration(0)
	if until, ok := resting.Load(a.Name()); ok && time.Now().Before(until.(time.Time)) {
		use = other
	}
	for {
		next, before := s, r
		if use != a {
			next.Model, next.Effort = "", "" // these are the first agent's
		}
		if before.Status != "" && s.Role.Writes() {
			next.Prompt.User += prompt.Section("Where you start", prompt.Resumed)
		}
		next.Spend = func(t agent.Tokens, c agent.Cost) error { return s.Spend(together(before, t, c)) }
		next.MaxUSD = max(s.MaxUSD-before.Cost.USD, min(s.MaxUSD, 0.01)) // 0 is no limit
		r = w.run(ctx, in, use, next)
		r.Tokens, r.Cost = together(before, r.Tokens, r.Cost)
		fallsBack := r.Status == agent.Limited || r.Status == agent.Unauthorised
		if use == a && other.Name() != a.Name() && fallsBack && ctx.Err() == nil {
			use, ends = other, max(r.RetryAfter, 0)
			resting.Store(a.Name(), time.Now().Add(cmp.Or(ends, 10*time.Minute))) // if it does not say how long
			continue
		}
		if ends > 0 { // the limit that ends first
			r.RetryAfter = min(cmp.Or(r.RetryAfter, ends), ends)
		}
		wait := r.RetryAfter + time.Second // clocks differ
		if left -= wait; r.Status != agent.Limited || r.RetryAfter <= 0 || left < 0 || !w.waitOut(ctx, s, r.Reason, wait) {
			break
		}
		use, ends = a, 0
	}
	if r.Status == agent.Limited && ctx.Err() != nil {
		r.Status, r.Reason = agent.Cancelled, journal.Interrupted
	}
	return r
}

// waitOut waits for the end of a limit while no session is there, and reports whether another one may begin.
func (w *Worker) waitOut(ctx context.Context, s agent.Session, why string, wait time.Duration) bool {
	n, until := noticeOf(s, journal.SessionText), time.Now().Add(wait).Round(0) // by the clock: the machine may sleep
	why = strings.TrimSuffix(visible.OneLine(visible.FirstLine(why), 300), ".")
	n.Reason, n.Until = why+"; a new session begins in "+agent.Short(wait), &until
	w.Runner.Report(n)
	ended := func() bool { return ctx.Err() != nil || s.Stopping != nil && s.Stopping() }
	for left := wait; left > 0 && !ended(); left = time.Until(until) {
		select {
		case <-ctx.Done():
		case <-time.After(min(left, time.Second)): // to look again
		}
	}
	return !ended()
}

// together returns what two sessions used; the cost is unknown if either used tokens of unknown price.
func together(first agent.Result, t agent.Tokens, c agent.Cost) (agent.Tokens, agent.Cost) {
	sum := first.Cost.Add(c)
	if t.In > 0 && !c.Known || first.Tokens.In > 0 && !first.Cost.Known {
		sum.Known = false
	}
	return first.Tokens.Add(t), sum
}

// run runs one session: it adds the environment and the transcript, and reports what happens.
func (w *Worker) run(ctx context.Context, in Confiner, a agent.Agent, s agent.Session) agent.Result {
	s.Env = append(w.Checkout.Config.Environment(a), proc.Mark(s.ID))
	var err error
	if s.Confine, err = in.ConfineSession(ctx, a, s); err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	if s.Role.Writes() { // git's reflog shows what the session itself committed
		s.Env = append(s.Env, runner.InReflog(s.ID))
	}
	on := s.On
	s.On = func(e agent.Event) {
		if on != nil {
			on(e)
		}
		n := noticeOf(s, journal.SessionText)
		switch n.Text = visible.OneLine(e.Text, 400); e.Kind {
		case agent.CalledTool:
			n.Kind, n.Command = journal.SessionTool, e.Tool
		case agent.Waiting:
			n.Text, n.Reason = "", n.Text
			if e.Wait > 0 {
				n.Until = new(time.Now().Add(e.Wait))
			}
		}
		w.Runner.Report(n)
	}
	spend := s.Spend
	s.Spend = func(t agent.Tokens, c agent.Cost) error {
		if t != (agent.Tokens{}) { // the usage so far
			n := noticeOf(s, journal.SessionUsage)
			n.Tokens = &t
			if c.Known && c.USD > 0 { // some programs report it at their end only
				n.Cost = journal.Dollars(c)
			}
			w.Runner.Report(n)
		}
		return spend(t, c)
	}
	w.shared.forgetting.Do(func() { checkout.ForgetTranscripts(w.Checkout) })
	if f, err := checkout.KeepTranscript(w.Checkout, s.ID); err == nil {
		defer f.Close()
		s.Transcript = f
	}
	n := noticeOf(s, journal.SessionStart)
	n.Agent, n.Model = a.Name(), modelOf(a, s)
	runs := a
	if shell, ok := a.(Shell); ok { // what the plan itself runs, it runs here
		n.Command = shell.Command
	} else {
		runs = in.Agent(a, s.Role)
	}
	w.Runner.Report(n)
	r := runner.Masked{Agent: runs, Mask: w.Runner.Masked}.Run(ctx, s)
	n.Kind, n.Tokens, n.ExitCode = journal.SessionEnd, &r.Tokens, r.ExitCode
	if model, ok := strings.CutPrefix(r.Agent, n.Agent+"/"); ok {
		n.Model = model
	}
	if n.Reason = cmp.Or(visible.Joined(r.Question, mostAsked), visible.FirstLine(r.Reason)); !r.Unsaid || !s.Role.Answers() {
		n.Text = visible.OneLine(r.Summary, 400) // not what should have been an answer
	}
	n.Cost = journal.Dollars(r.Cost)
	w.Runner.Report(n)
	return r
}

// SetLimits fills in how long a session of a role may take, and refuses invalid settings that are needed only later.
func (w *Worker) SetLimits(s *agent.Session, role agent.Role) error {
	const maxTurns = 150 // model calls of a session
	c := w.Checkout.Config
	var timeout, idle error
	s.Timeout, timeout = c.DurationOf("plan."+string(role)+".timeout", c.Role(role, "timeout"))
	s.Idle, idle = c.DurationOf("plan."+string(role)+".idleTimeout", c.Role(role, "idleTimeout"))
	s.MaxTurns = maxTurns
	_, checks := c.Duration("plan.checkTimeout") // otherwise these would be reported at the commit
	_, hooks := c.Word("plan.hooksSandbox")
	_, fallback := c.Fallback(role)
	_, launcher := remote.Of(c, role)
	_, budget := limitsOf(w.Checkout)
	return cmp.Or(timeout, idle, checks, hooks, fallback, launcher, budget)
}

func modelOf(a agent.Agent, s agent.Session) string {
	switch a := a.(type) {
	case *builtin.Agent:
		return cmp.Or(s.Model, a.Model)
	case *cli.Agent:
		return cmp.Or(s.Model, a.Model)
	}
	return ""
}

// noticeOf returns a notice of a session; only those of a review have a round.
func noticeOf(s agent.Session, kind string) journal.Notice {
	n := journal.Notice{Kind: kind, Step: s.Step, Attempt: s.Attempt, Role: s.Role, Session: s.ID, Reviewer: s.Review.Reviewer}
	if s.Role != agent.Planner && s.Role != agent.Critic && s.Role != agent.Executor {
		n.Round = &s.Review.Round
	}
	return n
}

// addTo adds a record to the transcript of a session that has ended. If that fails, the work goes on without it.
func (w *Worker) addTo(session string, r agent.Record) {
	if f, err := checkout.KeepTranscript(w.Checkout, session); err == nil {
		defer f.Close()
		t := agent.Transcript{W: f}
		t.Write(r)
	}
}

// Shell is the agent of a step with Run, in the workspace, the limits and the guards of every session.
type Shell struct{ Command string }

func (s Shell) Name() string                            { return "run" }
func (s Shell) FullPrompt(session agent.Session) string { return session.Prompt.Text() }
func (s Shell) MayWrite() bool                          { return false }

func (s Shell) Run(ctx context.Context, session agent.Session) agent.Result {
	name, args := proc.Shell(s.Command)
	out := &proc.Tail{}
	run, life, stop := agent.NewLife(ctx, session)
	defer stop()
	said := io.MultiWriter(out, life)
	exit, err := proc.Run(run, proc.Cmd{Name: name, Args: args, Dir: session.Dir, Env: session.Env, Group: true,
		Confine: session.Confine, Stdout: said, Stderr: said})
	if session.Transcript != nil {
		_ = json.NewEncoder(session.Transcript).Encode(map[string]any{"command": s.Command,
			"exit": exit.Code, "output": out.String()})
	}
	r := agent.Result{Agent: "run", Status: agent.Done}
	switch {
	case ctx.Err() != nil:
		r.Status, r.Reason = agent.Cancelled, "interrupted"
	case run.Err() != nil:
		r.Status, r.Reason = agent.TimedOut, fmt.Sprintf("`%s` did not end within its time\n%s", s.Command, out)
	case errors.Is(err, fault.ErrSandbox): // that error says nothing about the command
		r.Status, r.Reason = agent.Unusable, err.Error()
	case err != nil:
		r.Status, r.Reason = agent.Failed, err.Error()
	case !exit.OK():
		r.Status, r.Reason = agent.Failed,
			explain(&runner.CheckFailure{Command: s.Command, Exit: exit, Output: strings.TrimSpace(out.String())}).Error()
	}
	if err == nil && r.Status != agent.Cancelled && r.Status != agent.TimedOut {
		r.ExitCode = &exit.Code
	}
	return r
}
