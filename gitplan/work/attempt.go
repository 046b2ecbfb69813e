package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Attempt is one session at a task, and the judgement of what it left.
type Attempt struct {
	w      *Worker
	p      *workspace.Workspace
	t      Task
	try    prompt.Attempt
	before string // why the attempt before it failed

	inside   inside
	checks   checkResults
	notes    []string      // for the person, of what fails nothing
	folded   string        // the message of the session's own last commit
	result   agent.Result  // of its session
	finished *agent.Result // what the session said when it was done, if nothing has refused it yet

	unexplained []string // files by which it fails, since the session gave no reason
}

// Notes returns what a person should know of the work that was judged.
func (a *Attempt) Notes() []string { return a.notes }

// inside is what the checks found while the session was still there.
type inside struct {
	tree    string       // that passed
	cannot  error        // why nothing could run the checks
	refused string       // the last check that failed, with its output
	claimed agent.Result // what the session said then
}

// Attempt returns an attempt at a task in a workspace.
func (w *Worker) Attempt(p *workspace.Workspace, t Task, try prompt.Attempt) *Attempt {
	p.Task = t.spec()
	return &Attempt{w: w, p: p, t: t, try: try}
}

// run runs one session and judges what it left. An error stops the task and leaves the tree as it is.
func (a *Attempt) run(ctx context.Context) (out Outcome, err error) {
	if err := a.started(ctx); err != nil {
		return out, err
	}
	a.try.Session = SessionID(a.t, a.try.N)
	if err = a.p.Begin(ctx, a.try.Session); err != nil {
		return out, err
	}
	began := time.Now()
	result := a.t.Overrun.within(ctx, a.reportOverrun, a.session)
	a.result = result
	took := time.Since(began)
	if result.Status == agent.Done {
		a.finished = &result
	}
	v, err := a.look(ctx, result)
	out = a.outcome(v)
	out.Took = took
	changed, moved, ended := a.p.Watched().End(context.WithoutCancel(ctx))
	a.notes = append(a.notes, slices.DeleteFunc(moved, func(text string) bool { return strings.Contains(out.Reason, text) })...)
	if err == nil && out.Status == agent.Done {
		out.SetupChanged, err = changed, ended
	}
	out.Reported = a.notes
	return out, err
}

// outcome is how the attempt ended: by its verdict, or without one as its session did.
func (a *Attempt) outcome(v *Verdict) Outcome {
	r := a.result
	out := Outcome{Status: r.Status, Reason: a.withOutput(r.Reason), Question: visible.Joined(r.Question, mostAsked), Result: r, Session: a.try.Session,
		Tested: a.checks.tested, Missing: a.checks.missing}
	if r.Status == agent.Cancelled {
		out.Reason = journal.Interrupted
	}
	switch {
	case v == nil:
	case v.Interrupted:
		out.Status, out.Reason = agent.Cancelled, journal.Interrupted
	case v.Failure != nil:
		f := v.Failure
		out.Status, out.Reason, out.Hopeless, out.SetupChanged, out.Kept, out.uncommitted = agent.Failed, f.Error(), f.Hopeless, f.Setup, f.Kept, f.Refused
		a.notes = append(a.notes, f.Notes...)
	default:
		out.Status, out.Reason, out.Commit, out.Tree, out.Accepted = agent.Done, "", v.Commit, v.Tree, v.Accepted
	}
	return out
}

// look looks at the workspace, and then judges the work if the session says that it is done. The
// verdict is nil if there is nothing to judge.
func (a *Attempt) look(ctx context.Context, r agent.Result) (*Verdict, error) {
	whole := context.WithoutCancel(ctx)
	locked := journal.FreeOfLocks(a.p.Tree(), a.w.Runner.OwnRefs()...)
	left, err := a.p.InPlace(whole) // the set-up is compared even if somebody holds a lock
	f := workspace.FailureOf(err)
	if err != nil && f == nil {
		return nil, err
	}
	if f != nil && f.Setup != nil {
		return &Verdict{Failure: f}, nil
	}
	if locked != nil {
		return nil, locked // the next command finds what was done, as after a crash
	}
	changed := a.p.Watched().RefsChanged(whole)
	touched, notices := a.p.User.Touched(whole)
	a.notes = slices.Concat(a.notes, runner.OtherRefs(changed), notices)
	if granted := a.p.Watched().Granted(); granted != "" {
		a.notes = append(a.notes, granted)
	}
	if f == nil {
		f = left.Wrong
	}
	if left != nil {
		left.Touched = touched
		if n := len(left.Folded); n > 0 {
			a.folded = left.Folded[n-1].Message
			a.notes = append(a.notes, workspace.CommittedByItself(left.Folded))
		}
	}
	var v *Verdict
	if f != nil {
		v = &Verdict{Failure: f}
	} else if r.Status == agent.Done || a.mayBeDone(r) {
		if v, err = a.judged(ctx, left, r); err != nil {
			return v, err
		}
	}
	return v, nil
}

// judged judges what the session left. A signal that came meanwhile interrupts the attempt, unless
// its commit is made.
func (a *Attempt) judged(ctx context.Context, left *workspace.Leftover, r agent.Result) (*Verdict, error) {
	unsaid := r.Status != agent.Done
	if unsaid {
		a.t.Unchanged = false
	}
	v, err := a.Judge(ctx, left)
	if v.Commit == "" {
		if err = a.p.Unbarred(ctx, err); workspace.FailureOf(err) != nil {
			v.Failure, err = workspace.FailureOf(err), nil
		}
	}
	for _, text := range a.p.Artefacts() {
		a.report(text)
	}
	if ctx.Err() != nil {
		made := a.p.Committed(context.WithoutCancel(ctx))
		if made == "" {
			return &Verdict{Interrupted: true}, journal.FreeOfLocks(a.w.Checkout.Repo)
		}
		v, err = Verdict{Commit: made, Tree: v.Tree, Accepted: v.Accepted}, nil
	}
	if hidden := left.Status.Unignored; v.Commit != "" && v.Commit != journal.None && len(hidden) > 0 {
		a.notes = append(a.notes, visible.Few(hidden)+", which the session had git ignore, is committed")
	}
	if unsaid && err == nil {
		if v.Failure == nil {
			a.notes = append(a.notes, r.Reason+": it never reported that it was done, but the checks pass")
		} else if !strings.HasPrefix(v.Failure.Reason, r.Reason) {
			v.Failure.Reason = fmt.Sprintf("%s; %s", r.Reason, v.Failure.Reason)
		}
	}
	return &v, err
}

// mayBeDone reports whether what a session left is judged although the session did not say that
// it is done: only if it is a step's session that ran out of turns in the middle of its work, and
// a check can prove the work. It is not judged if the session said that it failed, asked, was
// refused, interrupted or too slow, or if its provider failed: those usually leave half of the
// work. Nor is a fixer's, which has to say what became of each finding.
func (a *Attempt) mayBeDone(r agent.Result) bool {
	return r.Status == agent.Failed && r.OutOfTurns && a.t.Role == agent.Executor &&
		slices.ContainsFunc(a.t.Checks, func(command string) bool { return !a.t.mayFail(command) })
}

// started records where the attempt starts, for a session.
func (a *Attempt) started(ctx context.Context) error {
	if a.t.Record != nil && a.t.passed(a.try) {
		return nil
	}
	tree := a.w.Checkout.Repo.EmptyTree()
	if a.p.Before.Head != "" {
		c, err := a.w.Checkout.Repo.ReadCommit(ctx, a.p.Before.Head)
		if err != nil {
			return err
		}
		tree = c.Tree
	}
	return a.record(ctx, journal.Event{Kind: journal.Started, Head: journal.OrNone(a.p.Before.Head), Tree: tree, Attempt: a.try.N, By: journal.ByAgent})
}

// session runs a session in its tree. A session that says it is done, and can be answered, learns
// of a failed check before it ends.
func (a *Attempt) session(ctx context.Context) agent.Result {
	if a.t.passed(a.try) {
		subject, body, _ := strings.Cut(strings.TrimSuffix(a.t.Passed, a.t.Trailer), "\n")
		return agent.Result{Status: agent.Done, Subject: subject, Summary: body}
	}
	a.p.RememberSession(ctx, a.try.Session)
	a.try.Dir = a.p.Dir()
	return a.w.RunTask(ctx, a.p, a.t, &a.try, func(r agent.Result) error {
		a.finished = &r
		err := explain(a.checkInside(ctx))
		if err != nil && ctx.Err() == nil {
			a.finished = nil
			a.inside.refused, a.inside.claimed = err.Error(), r
		}
		return err
	})
}

// checkInside runs the checks while the session is still there, and remembers
// the tree that passed.
func (a *Attempt) checkInside(ctx context.Context) (err error) {
	if len(a.t.Checks) == 0 {
		return nil
	}
	a.inside.tree, err = a.p.TryInside(ctx, a.RunChecks)
	if errors.Is(err, fault.ErrLost) || errors.Is(err, fault.ErrAgentSetup) { // the session could not fix it
		a.inside.cannot, err = err, nil
	}
	return err
}

// withOutput appends what the check that refused a session's result printed to the session's reason,
// as is done when a check fails after the session.
func (a *Attempt) withOutput(reason string) string {
	refusal, output, _ := strings.Cut(a.inside.refused, "\n")
	if output == "" || !strings.HasSuffix(reason, refusal) {
		return reason
	}
	return reason + "\n" + output
}

func (a *Attempt) record(ctx context.Context, e journal.Event) error {
	if a.t.Record == nil {
		return nil
	}
	err := a.t.Record(context.WithoutCancel(ctx), e)
	if err == nil && e.Kind == journal.Failed {
		a.w.unreported.take() // this reported it
	}
	return err
}

// event is that of an attempt that is over.
func (a *Attempt) event(kind journal.Kind, out *Outcome) journal.Event {
	return journal.Event{
		Kind: kind, Head: journal.OrNone(a.p.Before.Head), Attempt: a.try.N, By: journal.ByAgent,
		Agent: out.Result.Agent, Tokens: out.Result.Tokens, Cost: out.Result.Cost, Took: out.Took,
		Reason: out.why(), Kept: out.Kept, Proposal: out.Result.Proposal, Stopped: stopped(*out), Session: a.try.Session,
		Question: kind == journal.Failed && out.asked(),
	}
}

func (a *Attempt) about() journal.Notice { return journal.About(a.t.Name, a.t.Role, a.try.N) }

func (a *Attempt) report(text string) { a.w.Runner.Report(a.about().Of(journal.StepNote, text)) }

func (a *Attempt) reportOverrun(text string) {
	a.report(text + "; git plan replan makes smaller steps of it")
}

// reportFailed reports an attempt that failed. How a fixer ended is reported by its review.
func (a *Attempt) reportFailed(out *Outcome, reason string, final bool) {
	n := a.about().Of(journal.StepFailed, "")
	n.Reason, n.Final, n.Question = reason, final, out.asked()
	if n.Step == "" {
		n = n.Of(journal.FixEnd, fmt.Sprintf("attempt %d failed: %s", a.try.N, reason))
	}
	if n.Step != "" || !final {
		a.w.Runner.Report(n)
	}
}

// again prepares the next attempt: it goes on from the tree as it is, and
// reads what failed, what the session said of its work, and what was changed so far.
func (a *Attempt) again(ctx context.Context, out *Outcome) (prompt.Attempt, error) {
	// In a tree that is the person's as well, what no session explained is taken out: the change may be
	// theirs, and the next session might take it for a mistake.
	ref, err := a.p.PutAside(ctx, out.Reason, a.unexplained)
	if err != nil {
		return a.try, err
	}
	if ref != "" {
		out.Kept = ref
		a.sayUnexplained(out)
	}
	e := a.event(journal.Failed, out)
	e.Reason, e.Kept = e.Reason+KeptAs(out.Kept), "" // after an interruption the next attempt goes on from what is in the tree
	a.reportFailed(out, e.Reason, false)
	if err := a.record(ctx, e); err != nil {
		return a.try, err
	}
	diff, err := a.p.DiffSoFar(ctx)
	if diff != "" {
		a.w.addTo(a.try.Session, agent.Record{Diff: a.w.Runner.Masked(diff)})
	}
	next := prompt.Attempt{N: a.try.N + 1, Diff: diff, Notes: notes(a.inside.claimed, out.Result), Question: a.try.Question, AnotherWay: a.repeats(out)}
	if ref != "" {
		next.Aside = visible.Few(a.unexplained) + ": `git show " + ref + "` prints what was changed"
	}
	if out.Status == agent.Blocked {
		next.Question = out.Question
		return next, err
	}
	next.Failure = out.Reason
	if refused := a.inside.refused; refused != "" && !strings.Contains(next.Failure, refused) {
		next.Failure += "\n\nThe last check that failed in it: " + refused
	}
	if a.t.passed(a.try) && !a.t.Unjudged && len(a.t.From.Parents) > 0 && a.t.From.Parents[0] != a.p.Before.Head {
		next.Failure = "This had passed its checks before others committed on the branch. On top of what they did it fails:\n" + next.Failure
	}
	return next, err
}

// giveUp keeps what the session left, puts the tree back, and says where the work is. If the
// set-up changed, the tree stays as it is, since every git that reads it might run something: a
// person looks first and approves the plan again, and then the next step keeps it.
func (a *Attempt) giveUp(ctx context.Context, out *Outcome) error {
	ctx = context.WithoutCancel(ctx)
	defer func() { a.reportFailed(out, out.why(), true) }()
	if out.SetupChanged != nil {
		if err := a.p.TakeApproval(ctx, out.SetupChanged); err != nil {
			return err
		}
		return a.record(ctx, a.event(journal.Failed, out))
	}
	kept, err := a.p.Keep(ctx, a.whyKept(out))
	if err != nil {
		return err
	}
	checkout.RecordFailure(a.w.Runner.Checkout, a.try.Session, out.Status, out.Reason)
	if kept != "" {
		out.Kept = kept
		a.sayUnexplained(out)
	}
	err = a.record(ctx, a.event(journal.Failed, out))
	if err == nil { // else the next command reports it
		workspace.Forget(a.w.Runner.Checkout)
	}
	return err
}

// sayUnexplained says how a person gets back what no session explained.
func (a *Attempt) sayUnexplained(out *Outcome) {
	if how := a.p.HowToRestore(out.Kept, a.unexplained); how != "" && len(a.unexplained) > 0 {
		out.Reason = workspace.AlsoSay(out.Reason, "if it was not the session: "+how)
	}
}

// whyKept returns the reason that is kept with what an attempt left. If it only waits for its
// checks or its commit, and needs no other session, that includes the message of that commit. No
// event records whether a fixer failed or was stopped (by Ctrl-C, for example), so this reason does.
func (a *Attempt) whyKept(out *Outcome) string {
	switch {
	case a.t.Record == nil && stopped(*out) && out.Reason != journal.Interrupted:
		return journal.Interrupted + ": " + out.Reason
	case out.Refused:
		return checkout.PassedReason + "\n\n" + a.message()
	case a.t.Record != nil && out.Status == agent.Cancelled && a.finished != nil:
		return checkout.FinishedReason + "\n\n" + a.message()
	default:
		return out.Reason
	}
}

// notes returns what a session said of its work, for the next session: what it gave with the last
// result that a check refused inside it, and with the one that ended it; "" if it said nothing.
// All of it is already free of secrets and bounded, see agent.Result.Tidy.
func notes(results ...agent.Result) string {
	var lines []string
	for _, r := range results {
		for _, said := range [][2]string{{"it reported", r.Summary}, {"did", r.Handoff.Did}, {"why", r.Handoff.Why}, {"rejected", r.Handoff.Rejected}} {
			line := said[0] + ": " + strings.TrimSpace(visible.Without(said[1]))
			if strings.TrimSpace(said[1]) != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// repeats reports whether an attempt failed as the one before it did.
func (a *Attempt) repeats(out *Outcome) bool {
	return a.before != "" && fingerprint(out.Reason) == fingerprint(a.before)
}

// varying matches what differs between two runs of the same command: how long it took, the line
// of a file, addresses and temporary folders. Other numbers say what failed, or how much.
var varying = visible.NewPattern(`\b[0-9.]+ ?(?:[mnµ]?s|min|h)\b|\(cached\)|:[0-9]+|0x[0-9a-f]+|/tmp/[^\s:]+`)

// fingerprint is the same for two failures that differ only in that. It covers the whole output:
// the last line of many test runners says only that something failed.
func fingerprint(reason string) string { return varying.ReplaceAllString(reason, "0") }

// Overrun says when a task takes too long by its own estimate, all its sessions together; the
// zero value means never.
type Overrun struct {
	After time.Duration
	Of    string // the estimate, as people read it

	began  time.Time
	warned *atomic.Bool
}

// begin starts the clock of a task.
func (o Overrun) begin() Overrun {
	o.began, o.warned = time.Now(), new(atomic.Bool)
	return o
}

// within runs a session of a task. If the task exceeds its estimate, that is reported at once.
func (o Overrun) within(ctx context.Context, report func(text string), session func(context.Context) agent.Result) agent.Result {
	if o.After > 0 && o.warned != nil {
		left := max(0, o.After-time.Since(o.began))
		defer time.AfterFunc(left, func() {
			if !o.warned.Swap(true) {
				report(fmt.Sprintf("it has taken more than twice its estimate of %s", o.Of))
			}
		}).Stop()
	}
	return session(ctx)
}
