package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Work does a task by attempts: a fresh session, its checks, the inspection of its changes, one commit. Afterwards the tree
// holds exactly what is committed, and the rest is kept; if an error ended it, or the set-up changed, by the next step.
func (w *Worker) Work(ctx context.Context, at *workspace.Workspace, t Task) (out Outcome, err error) {
	if err := w.Allows(ctx, t); err != nil {
		return out, err
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
			workspace.Abandon(w.Checkout, err)
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

// Allows returns an error if no session may begin: for the budget, the sandbox, or git's signature.
func (w *Worker) Allows(ctx context.Context, t Task) error {
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
			w.shared.confined.Do(func() { _, w.shared.unconfined = w.Checkout.Sandbox.WouldConfine(s.Kind, w.Checkout.Repo.Top) })
			err = w.shared.unconfined
		}
		if err != nil {
			return err
		}
	}
	return w.canSign(ctx)
}

// attempts makes one attempt after the other, until the task is done or given up.
func (w *Worker) attempts(ctx context.Context, here *workspace.Workspace, t Task, try prompt.Attempt) (Outcome, error) {
	last := try.N + max(t.Attempts, 1) - 1
	if t.passed(try) {
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
			return out, a.keepWaiting(ctx, &out, err)
		}
		if out.asked() {
			out.Reason = out.Question
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
				workspace.Forget(w.Checkout)
			}
			a.dropKept(ctx)
			return out, nil
		case !more:
			if a.repeats && try.N < last && !out.Refused {
				out.Reason = workspace.AlsoSay(out.Reason,
					fmt.Sprintf("the same failure again, so the rest of its %d attempts is not made", last))
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
		if try, err = a.nextAttempt(ctx, &out); err != nil {
			return out, err
		}
		if t.Pause != nil && t.Pause() {
			return w.Attempt(here, t, try).pause(context.WithoutCancel(ctx))
		}
	}
}

// mayTryAgain decides whether another attempt follows one that failed, which may be the last, and sets out.Refused.
func (a *Attempt) mayTryAgain(out *Outcome, last bool) bool {
	out.Refused = out.uncommitted && a.t.Record != nil && (out.hopeless || a.repeats || a.t.passed(a.try) || last)
	switch {
	case out.Refused, a.repeats && (a.try.AnotherWay || len(a.guarded.Unexplained) > 0):
		return false // the same again, in another way or in a file that a person may have changed
	case a.t.Assume && out.asked() && a.try.Question == "":
		return true // that session answers the question itself, once
	}
	return !last && out.SetupChanged == nil && !out.hopeless && (out.Status == agent.Failed || out.Status == agent.TimedOut)
}

// begin records the tree before a task, and puts there the work of an interrupted attempt.
func (w *Worker) begin(ctx context.Context, ws *workspace.Workspace, t Task) (try prompt.Attempt, err error) {
	try.N, try.Failure, try.Reopened, ws.Task = max(t.First, 1), t.Failure, t.Reopened, t.spec()
	if err := ws.RecordUserFiles(ctx, t.Name); err != nil {
		return try, err
	}
	if t.Kept.Ref == "" {
		return try, nil
	}
	see := "; see it: " + checkout.ShowCommand(w.Checkout, t.Kept.Ref)
	text := "starts over: the last fixer's work is kept" + see
	if from := t.Kept.Commit; from != nil {
		if err = ws.PutKept(ctx, t.Kept.Ref, *from); err == nil {
			try.Resumed = true
			text = t.resumes(ws.Before.Head, see)
		} else if !errors.Is(err, worktree.ErrConflict) && !errors.Is(err, fault.ErrInTheWay) {
			return try, err
		} else {
			text = "starts over: the last session's work conflicts with newer commits" + see
			if t.Kept.Message != "" {
				try.Failure = "What an earlier session did for this was finished, and conflicts with what others have committed since; `git show " + t.Kept.Ref + "` prints it. Do it again on what is there now."
			}
		}
	}
	w.Runner.Report(journal.About(t.Name, t.Role, try.N).Of(journal.StepNote, text))
	return try, nil
}

// resumes says how a task goes on from what an attempt left.
func (t Task) resumes(head, see string) string {
	text, then := "continues from the last session's work", "; --clean starts over"
	if t.Role == agent.Fixer {
		text, then = "continues from the last fixer's work", see
	}
	switch {
	case t.Kept.Message != "" && t.Kept.onTop(head):
		text = "the work is rebased onto newer commits and checked again"
	case t.Kept.Message != "":
		text = "the last session's work is committed now, without another one, if its checks pass"
	}
	return text + then
}
