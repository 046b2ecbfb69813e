package work

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
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
	began := time.Now()
	judge := a.hold(ctx, began)
	err = a.look(ctx, began, judge)
	a.out.Reported = append(a.out.Reported, a.watch.GrantedMeanwhile()...)
	changed, moved, lost := a.watch.End(context.WithoutCancel(ctx))
	moved = slices.DeleteFunc(moved, func(text string) bool { return strings.Contains(a.out.Reason, text) })
	a.out.Reported = append(a.out.Reported, moved...)
	if err == nil && a.out.Status == agent.Done {
		a.out.SetupChanged, err = changed, lost
	}
	return err
}

// hold runs the session, and returns what is to judge what it left.
func (a *Attempt) hold(ctx context.Context, began time.Time) (judge func(context.Context, *place.Leftover) error) {
	result, overran := a.t.Overrun.within(ctx, a.reportOverrun, a.session)
	*a.out = Outcome{Ending: place.Ending{Status: result.Status, Reason: a.withOutput(result.Reason), Hopeless: overran}, Question: visible.Joined(result.Question, mostAsked), Result: result, Session: a.try.Session, Took: time.Since(began)}
	if result.Status == agent.Done {
		a.finished = &result
	}
	judge = a.Judge
	if a.mayBeDone(result) {
		a.out.Status, a.out.Reason, judge = agent.Done, "", a.judgeUnsaid
	}
	if a.out.Status == agent.Cancelled {
		a.out.Reason = journal.Interrupted
	}
	return judge
}

// look looks at the place, and then has what is there judged.
func (a *Attempt) look(ctx context.Context, began time.Time, judge func(context.Context, *place.Leftover) error) error {
	whole := context.WithoutCancel(ctx)
	held := journal.FreeOfLocks(a.p.Tree(), began, a.w.OwnRefs()...)
	left, err := a.p.InPlace(whole, a.t.Name, a.watch, &a.out.Ending) // the set-up is compared even if somebody holds a lock
	if err != nil || a.out.SetupChanged != nil {
		return err
	}
	if held != nil {
		return held // the next command finds what was done, as after a crash
	}
	changed := a.watch.RefsChanged()
	touched, notices := a.p.UntrackedTouched(whole)
	a.out.Reported = slices.Concat(a.out.Reported, site.OtherRefs(changed), notices)
	if left != nil {
		left.Touched = touched
	}
	committed := a.p.CommittedOn(whole, changed)
	if left != nil && len(left.Folded) > 0 {
		a.folded = left.Folded[len(left.Folded)-1].Message
		a.out.Reported = append(a.out.Reported, place.CommittedByItself(left.Folded))
	}
	if a.out.Status == agent.Done {
		err = a.judged(ctx, began, left, judge)
	}
	if committed != "" {
		a.out.AlsoSay(committed)
	}
	return err
}

// judged has what is there judged, and says what of it is remarkable. A signal that came meanwhile
// interrupts the attempt, unless its commit is made.
func (a *Attempt) judged(ctx context.Context, began time.Time, left *place.Leftover, judge func(context.Context, *place.Leftover) error) error {
	err := a.p.NotBarred(ctx, &a.out.Ending, judge(ctx, left))
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
