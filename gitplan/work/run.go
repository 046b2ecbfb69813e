package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// run runs one session and judges what it left.
func (a *Attempt) run(ctx context.Context) (err error) {
	if err := a.started(ctx); err != nil {
		return err
	}
	a.try.Session = SessionID(a.t, a.try.N)
	if a.watch, err = a.p.Begin(ctx, a.t.Name, a.try.Session); err != nil {
		return err
	}
	defer func() {
		changed, moved, lost := a.watch.End(context.WithoutCancel(ctx))
		moved = slices.DeleteFunc(moved, func(text string) bool { return strings.Contains(a.out.Reason, text) })
		a.out.Reported = append(a.out.Reported, moved...)
		if err == nil && a.out.Status == agent.Done {
			a.out.SetupChanged, err = changed, lost
		}
	}()
	defer func() { a.out.Reported = append(a.out.Reported, a.watch.GrantedMeanwhile()...) }()
	began := time.Now()
	result, overran := a.t.Overrun.within(ctx, a.reportOverrun, a.session)
	*a.out = Outcome{Ending: place.Ending{Status: result.Status, Reason: a.withOutput(result.Reason), Hopeless: overran}, Question: result.Question, Result: result, Session: a.try.Session, Took: time.Since(began)}
	if result.Status == agent.Done {
		a.finished = &result
	}
	judge := a.Judge
	if a.mayBeDone(result) {
		a.out.Status, a.out.Reason, judge = agent.Done, "", a.judgeUnsaid
	}

	if a.out.Status == agent.Cancelled {
		a.out.Reason = journal.Interrupted
	}
	held := journal.FreeOfLocks(a.p.Tree(), began, a.w.OwnRefs()...)
	left, err := a.p.InPlace(context.WithoutCancel(ctx), a.t.Name, a.watch, &a.out.Ending) // the set-up is compared even if somebody holds a lock
	if err != nil || a.out.SetupChanged != nil {
		return err
	}
	if held != nil {
		return held // the next command finds what was done, as after a crash
	}
	changed := a.watch.RefsChanged()
	touched, notices := a.p.UntrackedTouched(context.WithoutCancel(ctx))
	a.out.Reported = slices.Concat(a.out.Reported, site.OtherRefs(changed), notices)
	if left != nil {
		left.Touched = touched
	}
	if text := a.p.CommittedOn(context.WithoutCancel(ctx), changed); text != "" {
		defer func() { a.out.AlsoSay(text) }()
	}
	if left != nil && len(left.Folded) > 0 {
		a.folded = left.Folded[len(left.Folded)-1].Message
		a.out.Reported = append(a.out.Reported, place.CommittedByItself(left.Folded))
	}
	if a.out.Status != agent.Done {
		return nil
	}
	err = a.p.NotBarred(ctx, &a.out.Ending, judge(ctx, left))
	for _, text := range a.p.Artefacts() {
		a.w.Report(journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepNote, text))
	}
	if hidden := left.Status.Unignored; a.out.Commit != "" && a.out.Commit != journal.None && len(hidden) > 0 {
		a.out.Reported = append(a.out.Reported, visible.Few(hidden)+", which the session had git ignore, is committed")
	}
	if ctx.Err() != nil && !a.committed(context.WithoutCancel(ctx)) {
		a.out.Status, a.out.Reason, err = agent.Cancelled, journal.Interrupted, journal.FreeOfLocks(a.w.Repo, began)
	} else if ctx.Err() != nil {
		err = nil
	}
	return err
}

// committed reports whether the commit was made that was about to be made when a signal came:
// then the work is done.
func (a *Attempt) committed(ctx context.Context) bool {
	made := a.p.Committed(ctx)
	if made != "" {
		a.out.Status, a.out.Reason, a.out.Commit = agent.Done, "", made
	}
	return made != ""
}

// started records where the attempt starts, for a session.
func (a *Attempt) started(ctx context.Context) error {
	if a.t.Record != nil && a.t.passed(a.try) {
		return nil
	}
	tree := a.w.Repo.EmptyTree()
	if a.p.Before.Head != "" {
		c, err := a.w.Repo.ReadCommit(ctx, a.p.Before.Head)
		if err != nil {
			return err
		}
		tree = c.Tree
	}
	return a.record(ctx, journal.Event{Kind: journal.Started, Head: journal.OrNone(a.p.Before.Head), Tree: tree, Attempt: a.try.N, By: journal.ByAgent})
}

// again prepares the next attempt: it goes on from the tree as it is, and
// reads what failed, what the session said of its work, and what was changed so far.
func (a *Attempt) again(ctx context.Context) (prompt.Attempt, error) {
	aside, err := a.putAside(ctx)
	if err != nil {
		return a.try, err
	}
	e := a.ended(journal.Failed)
	e.Reason, e.Kept = e.Reason+KeptAs(a.out.Kept), "" // after an interruption the next attempt goes on from what is in the tree
	a.reportFailed(e.Reason, false)
	if err := a.record(ctx, e); err != nil {
		return a.try, err
	}
	diff, err := a.p.DiffSoFar(ctx)
	a.keepDiff(diff)
	next := prompt.Attempt{N: a.try.N + 1, Diff: diff, Aside: aside, Notes: notes(a.claimed, a.out.Result), Question: a.try.Question, AnotherWay: a.repeats()}
	if a.out.Status == agent.Blocked {
		next.Question = visible.OneLine(a.out.Question, 2000)
		return next, err
	}
	failure := a.out.Reason
	if a.refused != "" && !strings.Contains(failure, a.refused) {
		failure += "\n\nThe last check that failed in it: " + a.refused
	}
	if a.t.passed(a.try) && !a.t.Unjudged && len(a.t.From.Parents) > 0 && a.t.From.Parents[0] != a.p.Before.Head {
		failure = "This had passed its checks before others committed on the branch. On top of what they did it fails:\n" + failure
	}
	next.Failure = failure
	return next, err
}

// putAside takes what no session explained out of a tree that is the person's as well: the change may
// be theirs, and the next session might take it for a mistake. It is kept, and aside names it.
func (a *Attempt) putAside(ctx context.Context) (aside string, err error) {
	kept, err := a.p.PutAside(ctx, a.t.Name, a.out.Reason, a.unexplained)
	if kept == "" {
		return "", err
	}
	if a.out.Kept = kept; err != nil {
		return "", err
	}
	defer a.sayUnexplained()
	return describeAside(a.unexplained, a.out.Kept), nil
}

// sayUnexplained says how a person gets back what no session explained.
func (a *Attempt) sayUnexplained() {
	if len(a.unexplained) == 0 {
		return
	}
	if how := a.p.HowToRestore(a.out.Kept, a.unexplained); how != "" {
		a.out.AlsoSay("if it was not the session: " + how)
	}
}

// describeAside says to a session which files were put aside, and where they are.
func describeAside(files []string, kept string) string {
	return visible.Few(files) + ": `git show " + kept + "` prints what was changed"
}

// giveUp keeps what the session left, puts the tree back, and says where the work is. If the
// set-up changed, the tree stays as it is, since every git that reads it might run something: a
// person looks first and approves the plan again, and then the next step keeps it.
func (a *Attempt) giveUp(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	defer func() { a.reportFailed(visible.FirstLine(a.out.Reason), true) }()
	if a.out.SetupChanged != nil {
		if err := a.p.TakeApproval(a.out.SetupChanged); err != nil {
			return err
		}
		return a.record(ctx, a.ended(journal.Failed))
	}
	kept, err := a.p.Keep(ctx, a.t.Name, a.whyKept())
	if err != nil {
		return err
	}
	if kept != "" {
		a.out.Kept = kept
		a.sayUnexplained()
	} else {
		a.w.noteWhy(a.p.Session(), *a.out)
	}
	err = a.record(ctx, a.ended(journal.Failed))
	if err == nil { // else the next command reports it
		place.Forget(a.w.Checkout)
	}
	return err
}

// reportFailed reports an attempt that failed. How a fixer ended is reported by its review.
func (a *Attempt) reportFailed(reason string, final bool) {
	n := journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepFailed, "")
	n.Reason, n.Final, n.Question = reason, final, a.out.asked()
	if n.Step == "" {
		n = n.Of(journal.FixEnd, fmt.Sprintf("attempt %d failed: %s", a.try.N, reason))
	}
	if n.Step != "" || !final {
		a.w.Report(n)
	}
}

// reportOverrun reports that the task takes too long.
func (a *Attempt) reportOverrun(text string) {
	a.w.Report(journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepNote, text+"; git plan replan --split "+a.t.Name+" makes smaller steps of it"))
}

// session runs a session in its tree. A session that says it is done, and can be answered, learns
// of a failed check before it ends.
func (a *Attempt) session(ctx context.Context) agent.Result {
	if a.t.passed(a.try) {
		subject, body, _ := strings.Cut(strings.TrimSuffix(a.t.Passed, a.t.Trailer), "\n")
		return agent.Result{Status: agent.Done, Subject: subject, Summary: body}
	}
	a.p.RememberSession(a.try.Session)
	return a.w.RunTask(ctx, a.p, a.t, &a.try, a.p.Dir(), func(r agent.Result) error {
		a.finished = &r
		err := explain(a.checkInside(ctx))
		if err != nil && ctx.Err() == nil {
			a.finished = nil
			a.refused, a.claimed = err.Error(), r
		}
		return err
	})
}

// withOutput appends what the check that refused a session's result printed to the session's reason,
// as is done when a check fails after the session.
func (a *Attempt) withOutput(reason string) string {
	refusal, output, _ := strings.Cut(a.refused, "\n")
	if output == "" || !strings.HasSuffix(reason, refusal) {
		return reason
	}
	return reason + "\n" + output
}

// checkInside runs the checks while the session is still there, and remembers
// the tree that passed.
func (a *Attempt) checkInside(ctx context.Context) (err error) {
	if len(a.t.Checks) == 0 {
		return nil
	}
	a.accepted, err = a.p.TryInside(ctx, a.watch, a.t.asked(), a.RunChecks)
	if errors.Is(err, fault.ErrLost) || errors.Is(err, fault.ErrAgentSetup) { // no fault of the session's, which could not fix it
		a.unchecked, err = err, nil
	}
	return err
}

// whyKept returns the reason that is kept with what an attempt left. If it only waits for its
// checks or its commit, and needs no other session, that includes the message of that commit. No
// event records whether a fixer failed or was stopped (by Ctrl-C, for example), so this reason does.
func (a *Attempt) whyKept() string {
	switch out := a.out; {
	case a.t.Record == nil && stopped(*out) && out.Reason != journal.Interrupted:
		return journal.Interrupted + ": " + out.Reason
	case out.Refused:
		return attempts.PassedReason + "\n\n" + a.message()
	case a.t.Record != nil && out.Status == agent.Cancelled && a.finished != nil:
		return attempts.FinishedReason + "\n\n" + a.message()
	default:
		return out.Reason
	}
}
