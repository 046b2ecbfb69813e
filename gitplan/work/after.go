package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/transcript"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// again prepares the next attempt: it goes on from the tree as it is, and
// reads what failed, what the session said of its work, and what was changed so far.
func (a *Attempt) again(ctx context.Context) (prompt.Attempt, error) {
	aside, err := a.putAside(ctx)
	if err != nil {
		return a.try, err
	}
	e := a.event(journal.Failed)
	e.Reason, e.Kept = e.Reason+KeptAs(a.out.Kept), "" // after an interruption the next attempt goes on from what is in the tree
	a.reportFailed(e.Reason, false)
	if err := a.record(ctx, e); err != nil {
		return a.try, err
	}
	diff, err := a.p.DiffSoFar(ctx)
	a.keepDiff(diff)
	next := prompt.Attempt{N: a.try.N + 1, Diff: diff, Aside: aside, Notes: notes(a.claimed, a.out.Result), Question: a.try.Question, AnotherWay: a.repeats()}
	if a.out.Status == agent.Blocked {
		next.Question = a.out.Question
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
	defer func() { a.reportFailed(a.out.why(), true) }()
	if a.out.SetupChanged != nil {
		if err := a.p.TakeApproval(a.out.SetupChanged); err != nil {
			return err
		}
		return a.record(ctx, a.event(journal.Failed))
	}
	kept, err := a.p.Keep(ctx, a.t.Name, a.whyKept())
	if err != nil {
		return err
	}
	if kept != "" {
		a.out.Kept = kept
		a.sayUnexplained()
	} else {
		transcript.NoteWhy(a.w.Checkout, a.p.Session(), a.out.Status, a.out.Reason)
	}
	err = a.record(ctx, a.event(journal.Failed))
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
