package gitplan

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// session holds a session in the work tree. A session that says it is done and
// can be answered is told of a failed check before it is over.
func (w *Worker) session(ctx context.Context, t Task, try *Attempt) agent.Result {
	w.passed, w.refused = "", ""
	return w.hold(ctx, t, try, w.Repo.Top, func(agent.Result) error {
		err := explain(w.checkInside(ctx, t))
		if err != nil {
			w.refused = err.Error()
		}
		return err
	})
}

// checkInside runs the checks while the session is still there, and remembers
// the tree that passed: if that is what is to be committed, they need not run
// again. What the checks themselves wrote is no work of the session.
func (w *Worker) checkInside(ctx context.Context, t Task) error {
	if len(t.Checks) == 0 {
		return nil
	}
	w.passed = ""
	before, err := w.Repo.Status(ctx)
	if err != nil {
		return err
	}
	if err := w.checks(t.Name).Run(ctx, t.Checks); err != nil {
		return err
	}
	after, err := w.Repo.Status(ctx)
	if err != nil {
		return err
	}
	added := w.withoutByproducts(w.added(before), w.added(after))
	if after.Head == w.before.Head {
		w.passed, err = w.Repo.Snapshot(ctx, added)
	}
	return err
}

// hold holds one session in dir and tells what happens in it.
func (w *Worker) hold(ctx context.Context, t Task, try *Attempt, dir string, accept func(agent.Result) error) agent.Result {
	try.Nonce = random(8)
	s := agent.Session{
		ID: fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(t.Name, "/", "-"), try.N, random(3)), Role: t.Role,
		Branch: w.Branch, Attempt: try.N, Dir: dir, Nonce: try.Nonce, Prompt: t.Prompt(*try),
		Model: t.Model, Effort: t.Effort, Timeout: t.Timeout, Idle: t.Idle, MaxTurns: t.MaxTurns,
		Review: t.Review, Spend: t.Spend,
		Accept: func(_ context.Context, r agent.Result) error { return accept(r) },
	}
	if w.Doc != nil {
		s.Plan = w.Doc.ID
	}
	if t.Role == agent.Executor {
		s.Step = t.Name
	}
	if t.Role.Writes() {
		w.rememberSession(s.ID)
	}
	return w.Hold(ctx, t.Agent, s)
}

// HoldReview holds a session that only reads, in a tree that is not the
// person's, with the limits of its role.
func (w *Worker) HoldReview(ctx context.Context, a agent.Agent, s agent.Session) agent.Result {
	t := Task{Role: s.Role}
	if err := w.Limits(&t); err != nil {
		return agent.Result{Status: agent.Failed, Reason: err.Error()}
	}
	s.ID = fmt.Sprintf("%s-%d-%s", s.Role, s.Review.Round, random(3))
	s.Timeout, s.Idle, s.MaxTurns, s.Spend = t.Timeout, t.Idle, t.MaxTurns, t.Spend
	return w.Hold(ctx, a, s)
}

// Hold holds a session with an agent: it adds the environment and the
// transcript, and tells what happens.
func (w *Worker) Hold(ctx context.Context, a agent.Agent, s agent.Session) agent.Result {
	s.Env = append(w.Config.Environment(a), proc.Mark(s.ID))
	if s.Role.Writes() { // git's reflog tells by this what a session itself committed
		s.Env = append(s.Env, "GIT_REFLOG_ACTION="+reflogMark+s.ID)
	}
	s.On = func(e agent.Event) { w.sessionNotice(s, e) }
	if f, err := w.transcript(s.ID); err == nil {
		defer f.Close()
		s.Transcript = f
	}
	n := Notice{Event: SessionStart, Step: s.Step, Attempt: s.Attempt, Role: s.Role, Agent: a.Name(), Session: s.ID,
		Round: s.Review.Round, Reviewer: s.Review.Reviewer}
	w.Tell(n)
	r := a.Run(ctx, s)
	n.Event, n.Agent, n.Tokens = SessionEnd, r.Agent, &r.Tokens
	n.Text, n.Reason = oneLine(r.Summary, 400), oneLine(cmp.Or(r.Question, r.Reason), 400)
	if r.Cost.Known {
		n.Cost = &r.Cost.USD
	}
	w.Tell(n)
	return r
}

// Limits fills in how long a session of the task's role may take, and what it
// may spend.
func (w *Worker) Limits(t *Task) (err error) {
	if t.Spend, err = w.spend(); err != nil {
		return err
	}
	if t.Timeout, err = w.Config.duration("plan."+string(t.Role)+".timeout", w.Config.Role(t.Role, "timeout")); err != nil {
		return err
	}
	if t.Idle, err = w.Config.duration("plan."+string(t.Role)+".idleTimeout", w.Config.Role(t.Role, "idleTimeout")); err != nil {
		return err
	}
	if t.MaxTurns, err = strconv.Atoi(w.Config.Role(t.Role, "maxTurns")); err != nil {
		return fault(ErrAgentSetup, "plan.%s.maxTurns is no number", t.Role)
	}
	return nil
}

func (w *Worker) sessionNotice(s agent.Session, e agent.Event) {
	n := Notice{Event: SessionText, Step: s.Step, Attempt: s.Attempt, Role: s.Role, Session: s.ID,
		Round: s.Review.Round, Reviewer: s.Review.Reviewer, Text: oneLine(e.Text, 400)}
	switch e.Kind {
	case agent.CalledTool:
		n.Event, n.Command = SessionTool, e.Tool
	case agent.Waiting:
		n.Text, n.Reason = "", n.Text
	}
	w.Tell(n)
}

// transcript opens the file that keeps a session's turns; only this clone has it.
func (w *Worker) transcript(session string) (*transcript, error) {
	dir := w.Repo.PlanDir("sessions")
	if w.Doc != nil {
		dir = w.Repo.PlanDir(w.Doc.ID, "sessions")
	}
	return openTranscript(filepath.Join(dir, session+".jsonl"))
}
