package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// begin records the tree before a task, and puts there the work of an interrupted attempt.
func (w *Worker) begin(ctx context.Context, ws *workspace.Workspace, t Task) (try prompt.Attempt, err error) {
	try.N, try.Failure, try.Reopened, ws.Task = max(t.First, 1), t.Failure, t.Reopened, t.spec()
	if err := ws.RecordUserFiles(ctx, t.Name); err != nil || t.Kept.Ref == "" {
		return try, err
	}
	see, text := "; see it: "+w.Checkout.Attempts().ShowCommand(t.Kept.Ref), ""
	then, from := "; --clean starts over", t.Kept.Commit
	if t.Role == agent.Fixer {
		then = see
	}
	if from != nil {
		err = ws.PutKept(ctx, t.Kept.Ref, *from)
		try.Resumed = err == nil
	}
	switch {
	case from == nil:
		text = "starts over: the last fixer's work is kept" + see
	case err == nil && t.Kept.Message != "" && t.Kept.onTop(ws.Before.Head):
		text = "the work is rebased onto newer commits and checked again" + then
	case err == nil && t.Kept.Message != "":
		text = "the last session's work is committed now, without another one, if its checks pass" + then
	case err == nil && t.Role == agent.Fixer:
		text = "continues from the last fixer's work" + then
	case err == nil:
		text = "continues from the last session's work" + then
	case !errors.Is(err, worktree.ErrConflict) && !errors.Is(err, fault.ErrInTheWay):
		return try, err
	default:
		text = "starts over: the last session's work conflicts with newer commits" + see
		if t.Kept.Message != "" {
			try.Failure = "What an earlier session did for this was finished, and conflicts with what others have committed since; `git show " + t.Kept.Ref + "` prints it. Do it again on what is there now."
		}
	}
	w.Runner.Report(journal.About(t.Name, t.Role, try.N).Of(journal.StepNote, text))
	return try, nil
}

func (a *Attempt) event(kind journal.Kind, out *Outcome) journal.Event {
	return journal.Event{
		Kind: kind, Head: journal.OrNone(a.ws.Before.Head), Attempt: a.try.N, By: journal.ByAgent,
		Agent: out.Result.Agent, Tokens: out.Result.Tokens, Cost: out.Result.Cost, Took: out.Took,
		Reason: out.Why(), Kept: out.Kept, Proposal: out.Result.Proposal, Stopped: out.stopped(), Session: a.try.Session,
		Question: kind == journal.Failed && out.asked(), Originals: a.ws.Files.Originals,
	}
}

// reportFailed reports an attempt that failed. The last one of a fixer is reported by its review.
func (a *Attempt) reportFailed(out *Outcome, reason string, final bool) {
	n := a.about().Of(journal.StepFailed, "")
	n.Reason, n.Also, n.Final, n.Question = reason, out.Also, final, out.asked()
	failed := visible.FirstLine(a.w.Runner.Masked(a.checks.failure)) // which was reported
	if more, ok := strings.CutPrefix(reason, failed); ok && failed != "" {
		n.Text = strings.TrimPrefix(more, "; ")
		if len(out.Also) > 0 {
			n.Text = out.Also[0] + strings.TrimPrefix(reason, out.Why())
		}
	}
	if n.Step == "" {
		n = n.Of(journal.FixEnd, fmt.Sprintf("attempt %d failed: %s", a.try.N, reason))
	}
	if n.Step != "" || !final {
		a.w.Runner.Report(n)
	}
}

// mayTryAgain decides whether another attempt follows one that failed, which may be the last, and sets out.Refused.
func (a *Attempt) mayTryAgain(out *Outcome, last bool) bool {
	out.Refused = out.uncommitted && a.t.Record != nil && (out.hopeless || a.repeats || a.t.needsNoSession(a.try) || last)
	switch {
	case out.Refused, a.repeats && (a.try.AnotherWay || len(a.guarded.Unexplained) > 0):
		return false // the same again, in another way or in a file that a person may have changed
	case a.t.Assume && out.asked() && a.try.Question == "":
		return true // that session answers the question itself, once
	}
	return !last && out.SetupChanged == nil && !out.hopeless && (out.Status == agent.Failed || out.Status == agent.TimedOut)
}

// nextAttempt prepares the next attempt, which goes on from the current tree, and reads what failed and what was done.
func (a *Attempt) nextAttempt(ctx context.Context, out *Outcome) (next prompt.Attempt, err error) {
	const maxEarlier = 2 << 10 // bytes that a session reads of each attempt before the last
	// What no session explained may be the person's, and the next session might take it for a mistake.
	ref, err := a.ws.KeepAndRemove(ctx, out.Reason, a.guarded.Unexplained)
	if err != nil {
		return a.try, err
	}
	out.Kept = cmp.Or(ref, out.Kept)
	a.listReasons(out)
	e := a.event(journal.Failed, out)
	// The next attempt continues from the current tree, now or after a stop.
	e.Reason, e.Kept = e.Reason+ShowKept(a.w.Checkout, out.Kept), ""
	if out.Paused = a.t.Pause != nil && a.t.Pause(); out.Paused {
		if e.Kept, err = a.ws.Keep(context.WithoutCancel(ctx), checkout.Ending{Reason: out.Reason}); err != nil {
			return a.try, err
		}
		out.Kept = e.Kept
		a.reportFailed(out, e.Reason, false)
		return a.try, a.recordLast(ctx, e)
	}
	a.reportFailed(out, e.Reason, false)
	if err := a.record(ctx, e); err != nil {
		return a.try, err
	}
	diff, err := a.ws.DiffSoFar(ctx)
	if diff != "" {
		a.w.addTo(a.try.Session, agent.Record{Diff: a.w.Runner.Masked(diff)})
	}
	earlier := a.try.Earlier
	if a.try.Failure != "" {
		earlier += fmt.Sprintf("Before attempt %d: %s\n", a.try.N, prompt.Shortened(a.try.Failure, maxEarlier))
	}
	next = prompt.Attempt{N: a.try.N + 1, Earlier: earlier, Diff: diff, Notes: notes(a.inside.claimed, out.Result),
		Question: a.try.Question, Reopened: a.try.Reopened,
		AnotherWay: a.repeats, Declared: a.result.Drift}
	if ref != "" {
		next.Aside = visible.Few(a.guarded.Unexplained) + ": `git show " + ref + "` prints what was changed"
	}
	if out.Status == agent.Blocked {
		next.Question = out.Question()
		return next, err
	}
	next.Failure = out.Reason
	if a.result.Unsaid {
		next.Failure += "\n\nIt ended without saying whether the work is done. What it did is in the work tree: look at it, do what is missing, and end your session as you are told to."
	}
	if refused := a.inside.refused; refused != "" && !strings.Contains(next.Failure, refused) {
		next.Failure += "\n\nThe last check that failed in it: " + refused
	}
	if a.t.needsNoSession(a.try) && a.t.Kept.onTop(a.ws.Before.Head) {
		next.Failure = "This was finished before others committed on the branch. On top of what they did it fails:\n" + next.Failure
	}
	return next, err
}

// giveUp keeps the session's work, and restores the tree. If the set-up changed, every git that reads the tree might
// run something: it stays until a person has approved the plan again, and the next step keeps it.
func (a *Attempt) giveUp(ctx context.Context, out *Outcome) error {
	ctx = context.WithoutCancel(ctx)
	defer func() { a.reportFailed(out, out.Why(), true) }()
	if out.SetupChanged != nil {
		if err := a.ws.TakeApproval(ctx, out.SetupChanged); err != nil {
			return err
		}
		return a.record(ctx, a.event(journal.Failed, out))
	}
	ended := checkout.Ending{Reason: out.Reason, Interrupted: out.stopped()}
	switch {
	case out.Refused: // it only waits: for its commit, or its checks
		ended = checkout.Ending{Reason: checkout.PassedReason, Message: a.message()}
	case a.t.Record != nil && out.Status == agent.Cancelled && a.finished != nil:
		ended = checkout.Ending{Reason: checkout.FinishedReason, Message: a.message()}
	}
	kept, err := a.ws.Keep(ctx, ended)
	if err != nil {
		return err
	}
	if strings.Contains(out.Reason, "\n") { // a reason of one line is in the event
		a.w.addTo(a.try.Session, agent.Record{End: out.Status, Reason: out.Reason})
	}
	if kept != "" {
		out.Kept = kept
		if out.Status == agent.Cancelled && !a.ws.InClone() { // a person may have changed some of them
			if names, err := git.WrittenPaths(ctx, a.w.Checkout.Repo, a.ws.Before.Head, kept); err == nil {
				a.report("taken out of the work tree, and kept with the session's work: " + visible.Few(names))
			}
		}
	}
	a.listReasons(out)
	return a.recordLast(ctx, a.event(journal.Failed, out))
}

// recordLast records the last event of a task, which names what is kept of it; else the next command finds the task.
func (a *Attempt) recordLast(ctx context.Context, e journal.Event) error {
	err := a.record(ctx, e)
	if err == nil {
		a.w.Checkout.Task().Forget()
	}
	return err
}

// keepWaiting keeps work in a clone that passed and cannot be committed now; the next command goes on from it.
func (a *Attempt) keepWaiting(ctx context.Context, out *Outcome, why error) (err error) {
	if !a.w.Checkout.Task().State().AwaitsCommit() {
		return why
	}
	ctx = context.WithoutCancel(ctx)
	if out.Kept, err = a.ws.KeepPassed(ctx); err == nil {
		out.Status, out.Reason = agent.Cancelled, checkout.PassedReason
		err = a.recordLast(ctx, a.event(journal.Failed, out))
	}
	if err != nil {
		return errors.Join(why, err)
	}
	if out.Kept != a.t.Kept.Ref {
		a.dropKept(ctx)
	}
	return why
}

// dropKept removes what the attempt has put on the branch, or on top of newer commits: it would be done again.
func (a *Attempt) dropKept(ctx context.Context) {
	if a.t.needsNoSession(a.try) {
		_ = a.w.Checkout.Repo.DeleteRef(context.WithoutCancel(ctx), a.t.Kept.Ref, a.t.Kept.Commit.OID, "plan: goes on")
	}
}

// listReasons sets out.Also, and says beside each file that a person may have changed how that change comes back.
func (a *Attempt) listReasons(out *Outcome) {
	lines, paths := strings.Split(out.Reason, "\n"), slices.Sorted(maps.Values(a.guarded.Restorable))
	for i, line := range lines {
		for said, path := range a.guarded.Restorable {
			if how := a.ws.HowToRestore(out.Kept, []string{path}); how != "" && strings.HasPrefix(line, said) {
				lines[i] += "; if the change is yours: " + how
			}
		}
		if i > 0 && slices.ContainsFunc(a.guarded.Failing, func(said string) bool { return strings.HasPrefix(line, said) }) {
			out.Also = append(out.Also, visible.OneLine(lines[i], 1000))
		}
	}
	out.Reason = strings.Join(lines, "\n")
	if how := a.ws.HowToRestore(out.Kept, paths); how != "" && len(paths) > 0 {
		a.w.shared.setAside = append(a.w.shared.setAside,
			Aside{a.t.Name, "changed during the run without a reason, and set aside: " + visible.Few(paths) + ": " + how})
	}
}

// notes returns what a session reported of its work, for the next one, tidied by agent.Result.Tidy.
func notes(results ...agent.Result) string {
	var lines []string
	for _, r := range results {
		for _, part := range [][2]string{{"it reported", r.Summary}, {"did", r.Handoff.Did}, {"why", r.Handoff.Why},
			{"rejected", r.Handoff.Rejected}} {
			line := part[0] + ": " + strings.TrimSpace(visible.Without(part[1]))
			if strings.TrimSpace(part[1]) != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// RecoverFix keeps the work of a killed fixer; the caller has the plan's lock.
func (w *Worker) RecoverFix(ctx context.Context) error {
	state := w.Checkout.Task().State()
	if w.Checkout.Doc == nil && state.Name != "" && state.Branch != w.Checkout.Branch { // perhaps a person's tree
		s, err := worktree.ReadStatus(ctx, w.Checkout.Repo)
		if err != nil {
			return err
		}
		added := slices.ContainsFunc(s.Untracked, func(path string) bool { return workspace.Added(&state, path) })
		if !s.Clean() || !state.InClone && added {
			return fault.New(fault.ErrFixElsewhere, "a fixer on branch %s was interrupted, and git plan cannot tell whether the changes in the tree are its work", state.Branch)
		}
	}
	if state.Name == "" && w.Checkout.Slot == "" { // a slot uses its clone again
		w.Checkout.Task().DiscardClone()
	}
	if !state.Fix() {
		return nil
	}
	if err := w.Runner.Unlocked(true); err != nil {
		return err
	}
	now, err := worktree.ReadStatusIgnored(ctx, w.Checkout.Repo)
	if err != nil {
		return err
	}
	return w.KeepTask(ctx, workspace.At(w.Runner, now), state)
}

// KeepTask keeps the work of a task that no step continues.
func (w *Worker) KeepTask(ctx context.Context, ws *workspace.Workspace, state checkout.TaskState) error {
	if state.Commit(ctx, w.Checkout.Repo) != "" {
		ws.LoadState(ctx) // it was committed; what its session did to files of the user's is not reported yet
	} else if _, err := ws.KeepInterrupted(ctx, state.Head); err != nil {
		return err
	}
	w.Checkout.Task().Forget()
	return nil
}

// KeptByFixer returns the work of the last fixer of a name on a branch that is at head, if it was interrupted or waited.
func KeptByFixer(ctx context.Context, c *checkout.Checkout, name, head string) Kept {
	all, err := c.Attempts().List(ctx, name)
	if err != nil || len(all) == 0 {
		return Kept{}
	}
	last := all[len(all)-1]
	k := KeptBy(ctx, c, last.Ref)
	if head == "" || k.onTop(head) || k.Message == "" && !last.Ending.Interrupted {
		return Kept{}
	}
	return k
}
