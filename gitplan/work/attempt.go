package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Attempt is one session at a task, and the judgement of what it left.
type Attempt struct {
	w           *Worker
	p           *place.Place
	t           Task
	try         prompt.Attempt
	before      string          // why the attempt before it failed
	watch       *site.Watch     // what the session must leave alone
	accepted    string          // the tree that passed the checks inside the session
	refused     string          // the last check that failed inside it, with its output
	claimed     agent.Result    // what the session said when that check failed
	missing     string          // the program of the check that failed last, if nobody has it
	lenient     map[string]bool // the accepted checks that were run last, and whether they pass
	folded      string          // the message of the session's own last commit
	finished    *agent.Result   // what the session said when it was done, if nothing has refused it yet
	uncommitted bool            // nothing but git commit refused what it did
	out         *Outcome        // how it ends
}

// Attempt returns an attempt at a task in a place, whose ending is out.
func (w *Worker) Attempt(p *place.Place, t Task, try prompt.Attempt, out *Outcome) *Attempt {
	return &Attempt{w: w, p: p, t: t, try: try, out: out}
}

// Of sets what the attempt must leave alone.
func (a *Attempt) Of(watch *site.Watch) *Attempt {
	a.watch = watch
	return a
}

// run holds one session and judges what it left.
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
	result, overran := a.t.Overrun.within(ctx, a.tellOverrun, a.session)
	*a.out = Outcome{Ending: place.Ending{Status: result.Status, Reason: result.Reason, Hopeless: overran}, Question: result.Question, Result: result, Session: a.try.Session, Took: time.Since(began)}
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
	left, err := a.p.InPlace(context.WithoutCancel(ctx), a.t.Name, a.watch, &a.out.Ending) // the set-up is looked at whoever holds a lock
	if err != nil || a.out.SetupChanged != nil {
		return err
	}
	if held != nil {
		return held // the next command finds what was done as after a crash
	}
	changed := a.watch.RefsChanged()
	touched, told := a.p.UntrackedTouched(context.WithoutCancel(ctx))
	a.out.Reported = slices.Concat(a.out.Reported, site.OtherRefs(changed), told)
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

// committed reports whether the commit that was about to be made when a signal
// came is there: then the work is done.
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

func (a *Attempt) record(ctx context.Context, e journal.Event) error {
	if a.t.Record == nil {
		return nil
	}
	err := a.t.Record(context.WithoutCancel(ctx), e)
	if err == nil && e.Kind == journal.Failed {
		a.w.untold.take() // this reported it
	}
	return err
}

// ended is the event of an attempt that is over.
func (a *Attempt) ended(kind journal.Kind) journal.Event {
	return journal.Event{
		Kind: kind, Head: journal.OrNone(a.p.Before.Head), Attempt: a.try.N, By: journal.ByAgent,
		Agent: a.out.Result.Agent, Tokens: a.out.Result.Tokens, Cost: a.out.Result.Cost, Took: a.out.Took,
		Reason: visible.FirstLine(a.out.Reason), Kept: a.out.Kept, Proposal: a.out.Result.Proposal, Stopped: stopped(*a.out), Session: a.try.Session,
	}
}

// again prepares the next attempt: it goes on from the tree as it is, and
// reads what failed, what the session said of its work, and what was changed so far.
func (a *Attempt) again(ctx context.Context) (prompt.Attempt, error) {
	e := a.ended(journal.Failed)
	e.Reason, e.Kept = e.Reason+KeptAs(a.out.Kept), "" // what stands there is gone on from, after an interruption
	a.tellFailed(e.Reason, false)
	if err := a.record(ctx, e); err != nil {
		return a.try, err
	}
	diff, err := a.p.DiffSoFar(ctx)
	a.keepDiff(diff)
	next := prompt.Attempt{N: a.try.N + 1, Diff: diff, Notes: notes(a.claimed, a.out.Result), Question: a.try.Question, AnotherWay: a.repeats()}
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

// giveUp keeps what the session left, puts the tree back, and says where the
// work is. Where the set-up changed the tree stays as it is, since every git
// that reads it might run something: a person looks first and approves the plan
// again, and the next step keeps it then.
func (a *Attempt) giveUp(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	defer a.tellFailed(visible.FirstLine(a.out.Reason), true)
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
	} else {
		a.w.noteWhy(a.p.Session(), *a.out)
	}
	err = a.record(ctx, a.ended(journal.Failed))
	if err == nil { // else the next command reports it
		place.Forget(a.w.Checkout)
	}
	return err
}

// tellFailed reports an attempt that failed. How a fixer ended in the end is reported by
// its review.
func (a *Attempt) tellFailed(reason string, final bool) {
	n := journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepFailed, "")
	n.Reason, n.Final = reason, final
	if n.Step == "" {
		n = n.Of(journal.FixEnd, fmt.Sprintf("attempt %d failed: %s", a.try.N, reason))
	}
	if n.Step != "" || !final {
		a.w.Tell(n)
	}
}

// tellOverrun reports that the task takes too long.
func (a *Attempt) tellOverrun(text string) {
	a.w.Tell(journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepNote, text+"; git plan replan --split "+a.t.Name+" makes smaller steps of it"))
}

// session runs a session in its tree. A session that says it is done and
// can be answered learns of a failed check before it is over.
func (a *Attempt) session(ctx context.Context) agent.Result {
	if a.t.passed(a.try) {
		subject, body, _ := strings.Cut(strings.TrimSuffix(a.t.Passed, a.t.Trailer), "\n")
		return agent.Result{Status: agent.Done, Subject: subject, Summary: body}
	}
	a.p.RememberSession(a.try.Session)
	return a.w.HoldTask(ctx, a.p, a.t, &a.try, a.p.Dir(), func(r agent.Result) error {
		a.finished = &r
		err := explain(a.checkInside(ctx))
		if err != nil && ctx.Err() == nil {
			a.finished = nil
			a.refused, a.claimed = err.Error(), r
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
	a.accepted, err = a.p.TryInside(ctx, a.watch, a.t.asked(), a.Judged)
	return err
}

// Judged runs the checks of a task: a session's as check does, a person's own
// work as VerifyAsPerson does. Those that a person accepted as failing come last, and may fail.
func (a *Attempt) Judged(ctx context.Context) error {
	required := slices.DeleteFunc(slices.Clone(a.t.Checks), a.t.mayFail)
	err := a.runChecks(ctx, required)
	if a.noteMissing(err); err != nil {
		return err
	}
	a.lenient = map[string]bool{}
	for _, command := range a.t.Checks {
		if !a.t.mayFail(command) {
			continue
		}
		err := a.runChecks(ctx, []string{command})
		var failed *site.CheckFailure
		if err != nil && (ctx.Err() != nil || !errors.As(err, &failed)) {
			return err
		}
		a.lenient[command] = err == nil
	}
	return nil
}

func (a *Attempt) runChecks(ctx context.Context, commands []string) error {
	if a.t.Agent == nil {
		return a.w.PersonsChecks(a.t.Name, journal.Notice{Step: a.t.Name}).Run(ctx, commands)
	}
	return a.p.Check(ctx, a.t.Name, journal.About(a.t.Name, a.t.Role, a.try.N), commands, a.keepCheck)
}

// noteMissing notes that a check failed since its program is nowhere on PATH: no session can
// bring that about, so none follows.
func (a *Attempt) noteMissing(err error) {
	a.missing = ""
	var f *site.CheckFailure
	if errors.As(err, &f) && (f.Exit.Code == notRunnable || f.Exit.Code == notFound) {
		a.missing = MissingProgram(f.Command, a.w.Repo.Top)
		f.Missing = a.missing
	}
}
