package work

import (
	"cmp"
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Work does a task: a fresh session, its checks, the inspection of what it
// changed, one commit. An attempt that fails is followed by another fresh
// session that learns why. The tree is then as it was before, or holds exactly
// the committed work, and what a session left is kept; unless an error ended it, or
// the set-up changed: then the tree stays as the session left it, and the next step
// keeps it.
func (w *Worker) Work(ctx context.Context, at *workspace.Workspace, t Task) (Outcome, error) {
	if err := w.allows(ctx, t); err != nil {
		return Outcome{}, err
	}
	release, err := w.Runner.LockPlan(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer release()
	here, leave, err := at.Enter(ctx, t.Role)
	if err != nil {
		return Outcome{}, err
	}
	defer leave()
	w.Turn.Release()
	if err := w.before(ctx, here, t); err != nil {
		return Outcome{}, err
	}
	try, err := w.begin(ctx, here, t)
	if err != nil {
		return Outcome{}, err
	}
	return w.attempts(ctx, here, t, try)
}

// allows returns why no session of a task may begin.
func (w *Worker) allows(ctx context.Context, t Task) error {
	step := ""
	if t.Role == agent.Executor {
		step = t.Name
	}
	if err := w.common().spending.Allows(w.Runner.Checkout, step); err != nil && t.Passed == "" { // work that passed needs no session
		return err
	}
	if err := w.CanConfine(ctx, t); err != nil {
		return err
	}
	return w.CanSign(ctx)
}

// before does what comes before the task.
func (w *Worker) before(ctx context.Context, here *workspace.Workspace, t Task) error {
	if t.Before == nil {
		return nil
	}
	err := t.Before(ctx, here)
	if err == nil {
		return nil
	}
	workspace.Abandon(w.Runner.Checkout, err)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return fault.New(fault.ErrInterrupted, "interrupted before a session of %s began", t.Name)
	}
	return err
}

// attempts makes one attempt after the other, until the task is done or given up.
func (w *Worker) attempts(ctx context.Context, here *workspace.Workspace, t Task, try prompt.Attempt) (Outcome, error) {
	t.Overrun = t.Overrun.begin()
	last := try.N + max(t.Attempts, 1) - 1
	if t.passed(try) && !t.Unjudged {
		last++ // what fails only together with what others did counts as no attempt
	}
	var used agent.Result // by earlier attempts that no event reports
	before := ""          // why the last one failed
	for {
		a := w.Attempt(here, t, try)
		a.before = before
		out, err := a.run(ctx)
		out.Reason = w.Runner.Masked(out.Reason)
		if t.Record == nil {
			out.Result.Tokens = out.Result.Tokens.Add(used.Tokens)
			out.Result.Cost = agent.Cost{USD: out.Result.Cost.USD + used.Cost.USD, Known: out.Result.Cost.Known && (used.Cost.Known || used.Status == "")}
			used = out.Result
		}
		if err != nil {
			return out, err
		}
		e := a.over(&out, try.N == last)
		out.Attempts, out.Refused = try.N, e.refused
		if out.Status != agent.Done || t.Record == nil { // else settling reports it
			for _, text := range out.Reported {
				a.report(text)
			}
		}
		if e.done && t.Record == nil {
			workspace.Forget(w.Runner.Checkout)
		}
		if !e.done && t.passed(try) && !t.Unjudged && t.OnConflict != nil {
			t.OnConflict()
		}
		switch e.next() {
		case finished:
			return out, nil
		case givenUp:
			err = a.giveUp(ctx, &out)
			return out, err
		}
		last = max(last, try.N+1)
		before = out.Reason
		if try, err = a.again(ctx, &out); err != nil {
			return out, err
		}
	}
}

// decision is what follows an attempt.
type decision int

const (
	finished decision = iota // the task is done
	another                  // another attempt, which learns why this one failed
	givenUp                  // what the session left is kept, and the tree put back
)

// ended is what is known of an attempt that is over.
type ended struct {
	done      bool
	asks      bool // another session answers its question, once
	retryable bool // another fresh session may turn it into done
	hopeless  bool // another one would end in the same way
	refused   bool // nothing but git commit refuses the work
	last      bool // all attempts are used up
}

// next decides what follows. The order of the cases is the point.
func (e ended) next() decision {
	switch {
	case e.done:
		return finished
	case e.hopeless, e.refused:
		return givenUp
	case e.asks:
		return another // a question counts as no attempt
	case e.retryable && !e.last:
		return another
	}
	return givenUp
}

// over returns what is known of the attempt now that it is over. last says that no other is left.
func (a *Attempt) over(out *Outcome, last bool) ended {
	e := ended{done: out.Status == agent.Done, asks: a.t.Assume && out.asked() && a.try.Question == "", retryable: retryable(*out), last: last}
	e.refused = out.uncommitted && a.t.Record != nil && (out.Hopeless || a.repeats(out) || a.t.passed(a.try) || last)
	if out.asked() {
		out.Reason = out.Question
	}
	// It failed like the one before it, and was already asked for another way, or somebody else can
	// change the plan, or it is a file for which no session gives a reason: a person may have changed that.
	e.hopeless = a.repeats(out) && (a.t.NoRepeat || a.try.AnotherWay || len(a.unexplained) > 0)
	return e
}

// begin notes what is in the tree before a task, and puts there what an interrupted attempt had
// done.
func (w *Worker) begin(ctx context.Context, p *workspace.Workspace, t Task) (try prompt.Attempt, err error) {
	try.N = max(t.First, 1)
	if err := p.RememberUntracked(ctx, t.Name); err != nil {
		return try, err
	}
	note := journal.About(t.Name, t.Role, max(t.First, 1))
	if t.From == nil && t.Role == agent.Executor {
		return try, nil
	}
	if t.From == nil {
		if t.Kept != "" {
			w.Runner.Report(note.Of(journal.StepNote, "starts over: what the last fixer had done is kept; see it: "+checkout.ShowCommand(w.Runner.Checkout, t.Kept)))
		}
		return try, nil
	}
	err = p.PutKept(ctx, cmp.Or(t.Kept, t.From.OID), *t.From)
	text := "goes on from what the last session left; --clean would start over"
	switch {
	case errors.Is(err, worktree.ErrConflict), errors.Is(err, fault.ErrInTheWay):
		text = "starts over: what the last session left conflicts with what is there now; see it: " + checkout.ShowCommand(w.Runner.Checkout, t.Kept)
		if t.Passed != "" && !t.Unjudged {
			try.Failure = "What an earlier session did for this had passed its checks, and conflicts with what others have committed since; `git show " + t.Kept + "` prints it. Do it again on what is there now."
			if t.OnConflict != nil {
				t.OnConflict()
			}
		}
	case err != nil:
		return try, err
	case t.Role == agent.Fixer && t.Passed != "":
		text = "what waited is committed now, without a session, if its checks pass; see it: " + checkout.ShowCommand(w.Runner.Checkout, t.Kept)
	case t.Role == agent.Fixer:
		text = "goes on from what the last fixer left; see it: " + checkout.ShowCommand(w.Runner.Checkout, t.Kept)
	case t.Unjudged:
		text = "the last session was done: what it did is checked now, without another one; --clean would start over"
	case t.Passed != "" && len(t.From.Parents) > 0 && t.From.Parents[0] == p.Before.Head:
		text = "what the last session did is committed now, without another one, if its checks pass; --clean would start over"
	case t.Passed != "" && w.Turn != nil:
		text = "is rebased onto newer commits and checked again"
	case t.Passed != "":
		text = "what waited comes on top of what was committed meanwhile, without a session; --clean would start over"
	}
	w.Runner.Report(note.Of(journal.StepNote, text))
	try.Resumed = err == nil
	return try, nil
}
