package work

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/remote"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// SessionID returns a name for the session of an attempt.
func SessionID(t Task, n int) string {
	return fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(t.Name, "/", "-"), n, integrity.Random(3))
}

// Confiner is where a session runs: it says what its commands may do, nil if nothing confines them,
// and which agent holds it: the one that is configured, or one that runs it on another machine.
type Confiner interface {
	Agent(a agent.Agent, role agent.Role) agent.Agent
	ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*proc.Bounds, error)
}

// Here is a Confiner for sessions that only read: they run on this machine.
type Here struct{ Site *runner.Runner }

// Agent implements [Confiner].
func (Here) Agent(a agent.Agent, _ agent.Role) agent.Agent { return a }

// ConfineSession implements [Confiner].
func (h Here) ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*proc.Bounds, error) {
	return h.Site.ConfineSession(ctx, a, s)
}

// RunTask runs one session in try.Dir and reports what happens in it.
func (w *Worker) RunTask(ctx context.Context, by Confiner, t Task, try *prompt.Attempt, accept func(agent.Result) error) agent.Result {
	try.Nonce = integrity.Random(8)
	s := agent.Session{
		ID: try.Session, Role: t.Role,
		Branch: w.Checkout.Branch, Attempt: try.N, Dir: try.Dir, Nonce: try.Nonce, Prompt: t.Prompt(*try),
		Model: t.Model, Effort: t.Effort, Timeout: t.Timeout, Idle: t.Idle, MaxTurns: t.MaxTurns,
		Review: t.Review, Ask: t.Ask,
		Accept: func(_ context.Context, r agent.Result) error { return accept(r) },
	}
	if w.Checkout.Doc != nil {
		s.Plan = w.Checkout.Doc.ID
	}
	if t.Role == agent.Executor {
		s.Step = t.Name
	}
	return w.RunSession(ctx, by, t.Agent, s)
}

// RunReview runs a session that only reads, in a tree that is not the person's, with the limits
// of its role.
func (w *Worker) RunReview(ctx context.Context, a agent.Agent, s agent.Session) agent.Result {
	t := Task{Role: s.Role}
	if err := w.SetTimeouts(&t); err != nil {
		return agent.Result{Status: agent.Failed, Reason: err.Error()}
	}
	if s.ID == "" {
		s.ID = fmt.Sprintf("%s-%d-%s", s.Role, s.Review.Round, integrity.Random(3))
	}
	s.Timeout, s.Idle, s.MaxTurns = t.Timeout, t.Idle, t.MaxTurns
	return w.RunSession(ctx, Here{w.Runner}, a, s)
}

// RunSession runs a session with an agent, or if that one cannot run, with the role's fallback, as far
// as the budgets allow.
func (w *Worker) RunSession(ctx context.Context, by Confiner, a agent.Agent, s agent.Session) (r agent.Result) {
	allowed, err := w.common().spending.Of(w.Runner.Checkout, s, w.Runner.Report)
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	if allowed != nil {
		if err := allowed("", agent.Tokens{}, agent.Cost{}); err != nil {
			return agent.Result{Status: agent.Stopped, Reason: err.Error()}
		}
	}
	defer func(began time.Time) {
		if r.Status != agent.Unusable { // a session that never began is not counted
			w.unreported.note(s.Role, r, began)
		}
	}(time.Now())
	if allowed == nil {
		return w.runOrFallBack(ctx, by, a, s)
	}
	s.Spend = func(t agent.Tokens, c agent.Cost) error { return allowed(a.Name(), t, c) }
	r = w.runOrFallBack(ctx, by, a, s)
	if err := allowed(cmp.Or(r.Agent, a.Name()), r.Tokens, r.Cost); err != nil && r.Status != agent.Stopped { // the next session cannot begin
		w.common().spending.ReportLast(s, err, w.Runner.Report)
	}
	return r
}

// run runs one session: it adds the environment and the transcript, and reports what happens.
func (w *Worker) run(ctx context.Context, by Confiner, a agent.Agent, s agent.Session) agent.Result {
	s.Env = append(w.Checkout.Config.Environment(a), proc.Mark(s.ID))
	var err error
	if s.Confine, err = by.ConfineSession(ctx, a, s); err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	if s.Role.Writes() { // from this git's reflog shows what the session itself committed
		s.Env = append(s.Env, runner.InReflog(s.ID))
	}
	hears := s.On
	s.On = func(e agent.Event) {
		if hears != nil {
			hears(e)
		}
		w.sessionNotice(s, e)
	}
	s.Spend = w.reportUsage(s)
	if f, err := w.keepTranscript(s.ID); err == nil && f != nil {
		defer f.Close()
		s.Transcript = f
	}
	n := noticeOf(s, journal.SessionStart)
	n.Agent, n.Model = a.Name(), modelOf(a, s)
	if run, ok := a.(Shell); ok {
		n.Command = run.Command
	}
	w.Runner.Report(n)
	runs := a
	if _, command := a.(Shell); !command { // what the plan itself runs, it runs here
		runs = by.Agent(a, s.Role)
	}
	r := runner.Masked{Agent: runs, Mask: w.Runner.Masked}.Run(ctx, s)
	n.Kind, n.Tokens, n.ExitCode = journal.SessionEnd, &r.Tokens, r.ExitCode
	if model, ok := strings.CutPrefix(r.Agent, n.Agent+"/"); ok {
		n.Model = model
	}
	n.Text, n.Reason = visible.OneLine(r.Summary, 400), cmp.Or(visible.Joined(r.Question, mostAsked), visible.FirstLine(r.Reason))
	n.Cost = journal.Dollars(r.Cost)
	w.Runner.Report(n)
	return r
}

// maxTurns is how many model calls a session may make. Tests set fewer.
var maxTurns = 150

// SetTimeouts fills in how long a session of the task's role may take, in time and in model
// calls. It also refuses settings that the session would need only later and that cannot be read.
func (w *Worker) SetTimeouts(t *Task) (err error) {
	if t.Timeout, err = w.Checkout.Config.DurationOf("plan."+string(t.Role)+".timeout", w.Checkout.Config.Role(t.Role, "timeout")); err != nil {
		return err
	}
	if t.Idle, err = w.Checkout.Config.DurationOf("plan."+string(t.Role)+".idleTimeout", w.Checkout.Config.Role(t.Role, "idleTimeout")); err != nil {
		return err
	}
	if _, err := w.Checkout.Config.Fallback(t.Role); err != nil {
		return err // before any session needs it
	}
	if _, err := remote.Of(w.Checkout.Config, t.Role); err != nil {
		return err
	}
	if err := BudgetsAreSet(w.Checkout.Config); err != nil {
		return err
	}
	t.MaxTurns = maxTurns
	return nil
}

// modelOf returns the model that a session begins with; "" if it is not known.
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

func (w *Worker) sessionNotice(s agent.Session, e agent.Event) {
	n := noticeOf(s, journal.SessionText)
	n.Text = visible.OneLine(e.Text, 400)
	switch e.Kind {
	case agent.CalledTool:
		n.Kind, n.Command = journal.SessionTool, e.Tool
	case agent.Waiting:
		n.Text, n.Reason = "", n.Text
		if e.Wait > 0 {
			until := time.Now().Add(e.Wait)
			n.Until = &until
		}
	}
	w.Runner.Report(n)
}

// reportUsage returns the session's Spend that also reports what was used so far.
func (w *Worker) reportUsage(s agent.Session) func(agent.Tokens, agent.Cost) error {
	return func(t agent.Tokens, c agent.Cost) error {
		if t != (agent.Tokens{}) {
			n := noticeOf(s, journal.SessionUsage)
			n.Tokens = &t
			if c.Known && c.USD > 0 { // some programs report it at their end only
				n.Cost = journal.Dollars(c)
			}
			w.Runner.Report(n)
		}
		if s.Spend == nil {
			return nil
		}
		return s.Spend(t, c)
	}
}

// CanConfine returns an error if something of a task must be confined and cannot be.
func (w *Worker) CanConfine(ctx context.Context, t Task) error {
	if !runner.Confinable(t.Agent, t.Role) && len(t.Checks) == 0 {
		return nil
	}
	s, err := w.Runner.SandboxInForce(ctx)
	if err == nil && s.Kind != proc.Unconfined {
		err = sandbox.Configured(w.Checkout.Config)
	}
	return err
}

// keepTranscript returns the file for a session's turns; nil if none are kept. The first one removes
// those that are too old.
func (w *Worker) keepTranscript(session string) (io.WriteCloser, error) {
	w.common().forgetting.Do(func() { checkout.ForgetTranscripts(w.Runner.Checkout) })
	return checkout.KeepTranscript(w.Runner.Checkout, session)
}

// restFor is how long an agent that met a limit is not used if its provider does not say how
// long.
const restFor = 10 * time.Minute

func (r *resting) rest(name string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil {
		r.until = map[string]time.Time{}
	}
	r.until[name] = time.Now().Add(d)
}

func (r *resting) rests(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.until[name])
}

// runOrFallBack runs a session with an agent, and if that one meets a limit or is not
// authorised, a second, fresh one with the fallback of the role. Both are one attempt: neither
// end says anything about the work.
func (w *Worker) runOrFallBack(ctx context.Context, by Confiner, a agent.Agent, s agent.Session) agent.Result {
	other, err := w.Checkout.Config.Fallback(s.Role)
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	if other == nil || other.Name() == a.Name() {
		return w.run(ctx, by, a, s)
	}
	var first agent.Result
	if !w.common().resting.rests(a.Name()) {
		first = w.run(ctx, by, a, s)
		if !first.Status.FallsBack() || ctx.Err() != nil {
			return first
		}
		rest := first.RetryAfter
		if rest <= 0 {
			rest = restFor
		}
		w.common().resting.rest(a.Name(), rest)
		if s.Role.Writes() {
			s.Prompt.User += prompt.Section("Where you start", prompt.Resumed)
		}
	}
	s.Model, s.Effort = "", "" // these are the first agent's
	if allowed := s.Spend; allowed != nil {
		s.Spend = func(t agent.Tokens, c agent.Cost) error { return allowed(first.Tokens.Add(t), first.Cost.Add(c)) }
	}
	r := w.run(ctx, by, other, s)
	r.Tokens = first.Tokens.Add(r.Tokens)
	r.Cost = first.Cost.Add(r.Cost)
	return r
}
