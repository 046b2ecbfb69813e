package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Attempt is one session at a task, and the judgement of its work.
type Attempt struct {
	w   *Worker
	ws  *workspace.Workspace
	t   Task
	try prompt.Attempt

	Notes []string // what the person should know of the judged work, and fails nothing

	inside struct { // what the checks found while the session was still there
		tree    string       // the tree that passed; "" if none did
		cannot  error        // why nothing could run the checks
		refused string       // the last check that failed, with its output
		claimed agent.Result // what the session had reported before that check
	}
	checks struct { // how the checks ended that ran last
		tree    string // the tree that passed; "" if none did
		failure string // why one failed
		ended   map[string]runner.Ended
		took    time.Duration // the sum of all that ran
	}
	folded   string        // the message of the session's own last commit
	result   agent.Result  // how its session ended
	finished *agent.Result // what the session reported when it was done, if nothing has refused it yet
	repeats  bool          // it failed like the attempt before it
	guarded  workspace.Guarded
}

// Attempt returns an attempt at a task in a workspace.
func (w *Worker) Attempt(ws *workspace.Workspace, t Task, try prompt.Attempt) *Attempt {
	ws.Task = t.spec()
	return &Attempt{w: w, ws: ws, t: t, try: try}
}

// run runs one session and judges its work. An error stops the task and leaves the tree unchanged.
func (a *Attempt) run(ctx context.Context) (out Outcome, err error) {
	uncancelled := context.WithoutCancel(ctx)
	if a.t.Record != nil && !a.t.needsNoSession(a.try) {
		tree, err := a.w.tree(ctx, a.ws.Before.Head)
		if err != nil {
			return out, err
		}
		e := journal.Event{Kind: journal.Started, Head: journal.OrNone(a.ws.Before.Head), Tree: tree,
			Attempt: a.try.N, By: journal.ByAgent}
		if err := a.record(uncancelled, e); err != nil {
			return out, err
		}
	}
	a.try.Session = SessionID(a.t, a.try.N)
	if err = a.ws.Begin(ctx, a.try.Session); err != nil {
		return out, err
	}
	began := time.Now()
	a.result = a.session(ctx)
	took := time.Since(began)
	if r := a.result; r.Status == agent.Done {
		a.finished = &r
	}
	v, err := a.collectAndJudge(ctx)
	out = a.outcome(v)
	out.Took = took
	changed, moved, ended := a.ws.Watch.End(uncancelled)
	a.Notes = append(a.Notes, moved...)
	if err == nil && out.SetupChanged == nil { // what it wrote may have been run by checks and hooks since
		_, late := a.ws.Files.Touched(uncancelled)
		a.Notes = plan.Unique(append(a.Notes, late...))
	}
	if err == nil && out.Status == agent.Done {
		out.SetupChanged, err = changed, ended
	}
	out.Reported, out.Weakened, out.Originals = a.Notes, a.guarded.Weakened, a.ws.Files.Originals
	return out, err
}

func (a *Attempt) outcome(v *Verdict) Outcome {
	r := a.result
	out := Outcome{Status: r.Status, Reason: r.Reason, Result: r, Session: a.try.Session, Ended: a.checks.ended}
	switch {
	case v == nil && r.Status == agent.Cancelled, v != nil && v.Interrupted:
		out.Status, out.Reason = agent.Cancelled, journal.Interrupted
	case v == nil:
		out.hopeless = r.Refused
	case v.Failure != nil:
		f := v.Failure
		out.Status, out.Reason, out.Kept, out.SetupChanged = agent.Failed, f.Error(), f.Kept, f.Setup
		out.hopeless, out.uncommitted = f.Hopeless, f.Refused
		a.Notes = append(a.Notes, f.Notes...)
	default:
		out.Status, out.Reason, out.Commit, out.Tree = agent.Done, "", v.Commit, v.Tree
	}
	return out
}

// collectAndJudge collects what the session left, and judges it; nil if there is nothing to judge.
func (a *Attempt) collectAndJudge(ctx context.Context) (*Verdict, error) {
	uncancelled := context.WithoutCancel(ctx)
	locked := journal.FreeOfLocks(a.ws.Tree(), a.w.Runner.OwnRefs()...)
	changes, err := a.ws.Collect(uncancelled)
	f := workspace.FailureOf(err)
	switch {
	case err != nil && f == nil:
		return nil, err
	case f != nil && f.Setup != nil:
		return &Verdict{Failure: f}, nil
	case locked != nil:
		return nil, locked // the next command finds the work, as after a crash
	}
	refs := a.ws.Watch.RefsChanged(uncancelled, "during the session")
	touched, notices := a.ws.Files.Touched(uncancelled)
	a.Notes = slices.Concat(a.Notes, refs, notices)
	if a.ws.Files.Originals != nil && a.w.Runner.Once("files of the user's") {
		a.w.shared.setAside = append(a.w.shared.setAside,
			Aside{Text: "sessions changed or removed files of yours, which are kept as they were: git plan attempts"})
	}
	if f != nil {
		return &Verdict{Failure: f}, nil
	}
	if changes.Touched = touched; changes.Folded != "" {
		a.folded = changes.Folded
		a.Notes = append(a.Notes, "the session made commits of its own; they are folded into the one commit: "+
			visible.OneLine(visible.FirstLine(a.folded), 400))
	}
	if changes.Wrong != nil {
		return &Verdict{Failure: changes.Wrong}, nil
	}
	required := slices.DeleteFunc(slices.Clone(a.t.Checks), a.t.mayFail)
	if a.result.Status == agent.Done || a.result.Unsaid && a.t.Role == agent.Executor && // what failed before can tell
		a.w.FailedBefore(uncancelled, a.ws.Before.Head, required) {
		return a.judge(ctx, changes)
	}
	if _, output, _ := strings.Cut(a.inside.refused, "\n"); a.result.Unaccepted {
		said := strings.TrimSuffix(a.result.Reason+"\n"+output, "\n") // what the check printed that refused its result
		a.result.Reason = a.alsoGuarded(uncancelled, changes, said)
	}
	return nil, nil
}

// judge judges what the session left, unless a signal came before its commit is made.
func (a *Attempt) judge(ctx context.Context, changes *workspace.Changes) (*Verdict, error) {
	unreported := a.result.Status != agent.Done
	if unreported {
		a.t.Unchanged = false
	}
	v, err := a.JudgeAndCommit(ctx, changes)
	for _, text := range a.ws.Artefacts(changes.Status) {
		a.report(text)
	}
	if ctx.Err() != nil {
		made := a.ws.Committed(context.WithoutCancel(ctx))
		if made == "" {
			return &Verdict{Interrupted: true}, journal.FreeOfLocks(a.w.Checkout.Repo)
		}
		v, err = Verdict{Commit: made, Tree: v.Tree}, nil
	}
	if hidden := changes.Status.Unignored; v.Commit != "" && v.Commit != journal.None && len(hidden) > 0 {
		a.Notes = append(a.Notes, visible.Few(hidden)+", which the session had git ignore, is committed")
	}
	if unreported && err == nil {
		if v.Failure == nil {
			a.Notes = append(a.Notes, a.result.Reason+": it never reported that it was done, but the checks pass")
		} else {
			v.Failure.Reason = fmt.Sprintf("%s; %s", a.result.Reason, v.Failure.Reason)
		}
	}
	return &v, err
}

// session runs a session in its tree, which learns of a failed check before it ends, if it can be answered.
func (a *Attempt) session(ctx context.Context) agent.Result {
	if a.t.needsNoSession(a.try) {
		subject, body, _ := strings.Cut(strings.TrimSuffix(a.t.Kept.Message, a.t.Trailer), "\n")
		return agent.Result{Status: agent.Done, Subject: subject, Summary: body}
	}
	a.ws.RecordSession(ctx, a.try.Session, checkout.Working)
	a.try.Dir = a.ws.Dir()
	return a.w.RunTask(ctx, a.ws, a.t, &a.try, func(r agent.Result) error {
		a.finished = &r
		var err error
		if len(a.t.Checks) > 0 {
			a.inside.tree, err = a.ws.TryInside(ctx, a.RunChecks)
		}
		if errors.Is(err, fault.ErrLost) || errors.Is(err, fault.ErrAgentSetup) { // the session could not fix it
			a.inside.cannot, err = err, nil
		}
		if err = explain(err); err != nil && ctx.Err() == nil {
			a.finished = nil
			a.inside.refused, a.inside.claimed = err.Error(), r
		}
		return err
	})
}

func (a *Attempt) record(ctx context.Context, e journal.Event) error {
	if a.t.Record == nil {
		return a.w.Checkout.Repo.ChangeRefs(ctx, "plan: task under way", e.With...)
	}
	err := a.t.Record(context.WithoutCancel(ctx), e)
	if err == nil && e.Kind == journal.Failed {
		a.w.ClearUnreported()
	}
	return err
}

func (a *Attempt) about() journal.Notice { return journal.About(a.t.Name, a.t.Role, a.try.N) }
func (a *Attempt) report(text string)    { a.w.Runner.Report(a.about().Of(journal.StepNote, text)) }

func (w *Worker) tree(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return w.Checkout.Repo.EmptyTree(), nil
	}
	c, err := w.Checkout.Repo.ReadCommit(ctx, commit)
	if err != nil {
		return "", fmt.Errorf("the commit at which the task begins: %w", err)
	}
	return c.Tree, nil
}
