package gitplan

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Worker does tasks in the work tree of one checkout.
type Worker struct {
	*Checkout
	On func(Notice) // may be nil; never called twice at once

	telling    sync.Mutex
	before     *git.Status     // the tree when the task began: clean but for untracked files
	own        inProgress      // what was there then and is the person's
	byproducts map[string]bool // files that checks wrote while a session was there
	passed     string          // the tree that passed the checks inside the session
	refused    string          // the last check that failed inside the session, with its output
}

// Work does a task: a fresh session, its checks, the inspection of what it
// changed, one commit. An attempt that fails is followed by another fresh
// session that is told why. Whatever the end, the tree is then as it was
// before or holds exactly the committed work, and what a session left is kept.
func (w *Worker) Work(ctx context.Context, t Task) (Outcome, error) {
	w.byproducts = map[string]bool{}
	try := Attempt{N: max(t.First, 1), Resumed: t.Resumed}
	last := try.N + max(t.Attempts, 1) - 1
	for {
		out, err := w.attempt(ctx, t, try)
		if err != nil {
			return out, err
		}
		out.Attempts = try.N
		if out.Status == agent.Done {
			if t.Record == nil { // nobody settles it: it is over now
				w.forgetProgress()
			}
			return out, nil
		}
		if !retryable(out) || try.N == last {
			return w.giveUp(ctx, t, try, out)
		}
		if try, err = w.again(ctx, t, try, out); err != nil {
			return out, err
		}
	}
}

// Ready looks at the tree before a task that is not a step: it must be clean
// but for untracked files.
func (w *Worker) Ready(ctx context.Context) (err error) {
	if w.before, err = w.Repo.StatusIgnored(ctx); err == nil && !w.before.Clean() {
		err = dirty(w.before)
	}
	return err
}

// retryable are the ends that another fresh session may turn into done.
func retryable(o Outcome) bool {
	return (o.Status == agent.Failed || o.Status == agent.TimedOut) && o.SetupChanged == nil
}

// attempt holds one session and judges what it left.
func (w *Worker) attempt(ctx context.Context, t Task, try Attempt) (Outcome, error) {
	if err := w.begin(ctx, t, try); err != nil {
		return Outcome{}, err
	}
	untouched, refs := w.readSetup(), w.Repo.RefsNow()
	began := time.Now()
	result := w.session(ctx, t, &try)
	out := Outcome{Status: result.Status, Reason: result.Reason, Question: result.Question, Result: result, Took: time.Since(began)}

	clearLocks(w.Repo, w.Repo.GitDir, began)
	left, err := w.inPlace(context.WithoutCancel(ctx), t, untouched, &out)
	if err != nil || out.SetupChanged != nil {
		return out, err
	}
	out.Reported = append(w.otherRefs(refs), w.untrackedTouched(context.WithoutCancel(ctx))...)
	if out.Status != agent.Done {
		return out, nil
	}
	err = w.judge(ctx, t, try, untouched, left, &out)
	if ctx.Err() != nil {
		out.Status, out.Reason, err = agent.Cancelled, "interrupted", nil
	}
	return out, err
}

// begin records where the attempt starts.
func (w *Worker) begin(ctx context.Context, t Task, try Attempt) error {
	if try.N == max(t.First, 1) && !try.Resumed {
		if err := w.rememberUntracked(ctx, t.Name); err != nil {
			return err
		}
	}
	tree := w.Repo.EmptyTree()
	if w.before.Head != "" {
		c, err := w.Repo.ReadCommit(ctx, w.before.Head)
		if err != nil {
			return err
		}
		tree = c.Tree
	}
	return w.record(ctx, t, Event{Kind: Started, Head: orNone(w.before.Head), Tree: tree, Attempt: try.N, By: ByAgent})
}

func (w *Worker) record(ctx context.Context, t Task, e Event) error {
	if t.Record == nil {
		return nil
	}
	return t.Record(context.WithoutCancel(ctx), e)
}

// ended is the event of an attempt that is over.
func (w *Worker) ended(kind EventKind, try Attempt, out Outcome) Event {
	return Event{
		Kind: kind, Head: orNone(w.before.Head), Attempt: try.N, By: ByAgent,
		Agent: out.Result.Agent, Tokens: out.Result.Tokens, Cost: out.Result.Cost, Took: out.Took,
		Reason: firstLine(out.Reason), Kept: out.Kept,
	}
}

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
	n.Text, n.Reason = oneLine(r.Summary, 400), oneLine(r.Reason+r.Question, 400)
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

// Verify runs commands of the plan on the tree as it is.
func (w *Worker) Verify(ctx context.Context, commands []string) error {
	return w.checks("verify").Run(ctx, commands)
}

// checks are run in the environment of a session of this name.
func (w *Worker) checks(name string) Checks {
	timeout, err := w.Config.Duration("plan.checkTimeout")
	if err != nil {
		timeout = 10 * time.Minute
	}
	env := append(w.Config.Environment(nil), proc.Mark(name+"-check-"+random(4)))
	return Checks{Dir: w.Repo.Top, Env: env, Timeout: timeout, On: w.Tell}
}

// explain gives a failed check's output to whoever must mend it.
func explain(err error) error {
	var f *CheckFailure
	if errors.As(err, &f) {
		return fmt.Errorf("%s\n%s", f.Error(), f.Output)
	}
	return err
}

// transcript opens the file that keeps a session's turns; only this clone has it.
func (w *Worker) transcript(session string) (*transcript, error) {
	dir := w.Repo.PlanDir("sessions")
	if w.Doc != nil {
		dir = w.Repo.PlanDir(w.Doc.ID, "sessions")
	}
	return openTranscript(filepath.Join(dir, session+".jsonl"))
}

// again prepares the next attempt: it goes on from the tree as it is, and is
// told what failed and what was changed so far.
func (w *Worker) again(ctx context.Context, t Task, try Attempt, out Outcome) (Attempt, error) {
	w.Tell(Notice{Event: StepFailed, Step: t.Name, Attempt: try.N, Role: t.Role, Reason: firstLine(out.Reason)})
	if err := w.record(ctx, t, w.ended(FailedTry, try, out)); err != nil {
		return try, err
	}
	diff, err := w.diffSoFar(ctx)
	failure := out.Reason
	if w.refused != "" && !strings.Contains(failure, w.refused) {
		failure += "\n\nThe last check that failed in it: " + w.refused
	}
	return Attempt{N: try.N + 1, Failure: failure, Diff: diff}, err
}

// giveUp keeps what the session left, puts the tree back, and says where the
// work is. Where the set-up changed the tree stays as it is, since every git
// that reads it might run something: a person looks first, and the next step
// keeps it then.
func (w *Worker) giveUp(ctx context.Context, t Task, try Attempt, out Outcome) (Outcome, error) {
	ctx = context.WithoutCancel(ctx)
	if out.SetupChanged != nil {
		return out, w.record(ctx, t, w.ended(FailedTry, try, out))
	}
	kept, err := w.keep(ctx, t.Name, out.Reason)
	if err != nil {
		return out, err
	}
	if kept != "" {
		out.Kept = kept
	}
	w.forgetProgress()
	return out, w.record(ctx, t, w.ended(FailedTry, try, out))
}

// Tell passes a notice on to whoever shows it.
func (w *Worker) Tell(n Notice) {
	if w.On == nil {
		return
	}
	w.telling.Lock() // reviewers' sessions run side by side
	defer w.telling.Unlock()
	n.Time, n.Branch = time.Now(), w.Branch
	if w.Doc != nil {
		n.Plan = w.Doc.ID
	}
	w.On(n)
}

func orNone(oid string) string {
	if oid == "" {
		return None
	}
	return oid
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return oneLine(s, 400)
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
