package work

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Worker does tasks in the work tree of one checkout.
type Worker struct {
	place.Place
	// Lend leaves the terminal to git, which may ask for a passphrase, until back
	// is called. It may be nil.
	Lend func() (back func())

	spending   spending
	forgetting sync.Once // old transcripts
	untold     untold
	resting    resting
	passed     string    // the tree that passed the checks inside the session
	trying     int       // the attempt under way
	repair     string    // ref of a fixer's work that waited until now, see keepRepair
	refused    string    // the last check that failed inside the session, with its output
	text       io.Closer // while the plan's text is held, see HoldText
}

// Work does a task: a fresh session, its checks, the inspection of what it
// changed, one commit. An attempt that fails is followed by another fresh
// session that is told why. Whatever the end, the tree is then as it was
// before or holds exactly the committed work, and what a session left is kept.
func (w *Worker) Work(ctx context.Context, t Task) (Outcome, error) {
	if err := w.affordable(t); err != nil {
		return Outcome{}, err
	}
	w.Byproducts = map[string]bool{}
	if err := w.canConfine(ctx, t); err != nil {
		return Outcome{}, err
	}
	release, err := w.HoldText(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer release()
	leave, err := w.Enter(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer leave()
	resumed, err := w.begin(ctx, t)
	if err != nil {
		return Outcome{}, err
	}
	try := prompt.Attempt{N: max(t.First, 1), Resumed: resumed}
	last := try.N + max(t.Attempts, 1) - 1
	var used agent.Result // by earlier attempts that no event tells of
	for {
		out, err := w.attempt(ctx, t, try)
		out.Reason = w.Masked(out.Reason)
		if t.Record == nil {
			out.Result.Tokens = out.Result.Tokens.Add(used.Tokens)
			out.Result.Cost = agent.Cost{USD: out.Result.Cost.USD + used.Cost.USD, Known: out.Result.Cost.Known && (used.Cost.Known || used.Status == "")}
			used = out.Result
		}
		if err != nil {
			return out, err
		}
		out.Attempts = try.N
		if out.Status != agent.Done || t.Record == nil {
			for _, text := range out.Reported { // else whoever settles it tells
				w.Tell(journal.About(t.Name, t.Role, try.N).Of(journal.StepNote, text))
			}
		}
		if out.Status == agent.Done {
			if t.Record == nil { // nobody settles it: it is over now
				w.ForgetProgress()
			}
			return out, nil
		}
		repeats := t.NoRepeat && try.Failure != "" && visible.FirstLine(out.Reason) == visible.FirstLine(try.Failure)
		if !retryable(out) || try.N == last || repeats {
			return w.giveUp(ctx, t, try, out)
		}
		if try, err = w.again(ctx, t, try, out); err != nil {
			return out, err
		}
	}
}

// retryable are the ends that another fresh session may turn into done.
func retryable(o Outcome) bool {
	return (o.Status == agent.Failed || o.Status == agent.TimedOut) && o.SetupChanged == nil && !o.Hopeless
}

// stopped are the ends that tell nothing of the work, such as a limit or Ctrl-C.
func stopped(o Outcome) bool {
	switch o.Status {
	case agent.Cancelled, agent.Limited, agent.Unreachable, agent.Unauthorised, agent.Unusable, agent.Stopped:
		return o.SetupChanged == nil
	}
	return false
}

// attempt holds one session and judges what it left.
func (w *Worker) attempt(ctx context.Context, t Task, try prompt.Attempt) (out Outcome, err error) {
	if err := w.started(ctx, t, try); err != nil {
		return Outcome{}, err
	}
	untouched, refs := w.Scene().Read(w.Now()), w.Repo.RefsNow()
	w.Based = w.Bases(ctx)
	try.Session = SessionID(t, try.N)
	rec, err := w.Scene().Record(ctx, &untouched, t.Name, try.Session)
	if err != nil {
		return Outcome{}, err
	}
	defer func() {
		changed, moved, lost := w.Scene().End(context.WithoutCancel(ctx), rec)
		moved = slices.DeleteFunc(moved, func(text string) bool { return strings.Contains(out.Reason, text) })
		out.Reported = append(out.Reported, moved...)
		if err == nil && out.Status == agent.Done {
			out.SetupChanged, err = changed, lost
		}
	}()
	defer func() { out.Reported = append(out.Reported, w.Scene().GrantedMeanwhile(untouched)...) }()
	if w.Index, err = w.Tree().OpenIndex(); err != nil {
		return Outcome{}, err
	}
	began := time.Now()
	w.trying, w.Since = try.N, time.Time{}
	result := w.session(ctx, t, &try, untouched)
	out = Outcome{Ending: place.Ending{Status: result.Status, Reason: result.Reason}, Question: result.Question, Result: result, Took: time.Since(began)}

	if out.Status == agent.Cancelled {
		out.Reason = journal.Interrupted
	}
	held := journal.FreeOfLocks(w.Tree(), began, w.OwnRefs()...)
	left, err := w.InPlace(context.WithoutCancel(ctx), t.Name, untouched, &out.Ending) // the set-up is looked at whoever holds a lock
	if err != nil || out.SetupChanged != nil {
		return out, err
	}
	if held != nil {
		return out, held // the next command finds what was done as after a crash
	}
	changed := w.RefsChanged(refs)
	touched, told := w.UntrackedTouched(context.WithoutCancel(ctx))
	out.Reported = slices.Concat(out.Reported, place.OtherRefs(changed), told)
	if left != nil {
		left.Touched = touched
	}
	if text := w.CommittedOn(context.WithoutCancel(ctx), changed); text != "" {
		defer func() { out.AlsoSay(text) }()
	}
	if left != nil && len(left.Folded) > 0 {
		out.Reported = append(out.Reported, place.CommittedByItself(left.Folded))
	}
	if out.Status != agent.Done {
		return out, nil
	}
	err = w.NotBarred(ctx, &out.Ending, w.Judge(ctx, t, try, untouched, left, &out))
	if hidden := left.Status.Unignored; out.Commit != "" && out.Commit != journal.None && len(hidden) > 0 {
		out.Reported = append(out.Reported, visible.Few(hidden)+", which the session had git ignore, is committed")
	}
	if ctx.Err() != nil && !w.committed(context.WithoutCancel(ctx), &out) {
		out.Status, out.Reason, err = agent.Cancelled, journal.Interrupted, journal.FreeOfLocks(w.Repo, began)
	} else if ctx.Err() != nil {
		err = nil
	}
	return out, err
}

// committed reports whether the commit that was about to be made when a signal
// came is there: then the work is done.
func (w *Worker) committed(ctx context.Context, out *Outcome) bool {
	c, err := w.Repo.ReadCommit(ctx, "HEAD")
	if err != nil || w.Own.Tree == "" || c.Tree != w.Own.Tree || len(c.Parents) > 1 || strings.Join(c.Parents, "") != w.Onto {
		return false
	}
	out.Status, out.Reason, out.Commit = agent.Done, "", c.OID
	return true
}

// begin notes what is in the tree before a task, and goes on from what an
// interrupted attempt had done.
func (w *Worker) begin(ctx context.Context, t Task) (resumed bool, err error) {
	if err := w.RememberUntracked(ctx, t.Name); err != nil {
		return false, err
	}
	w.First = w.Now()
	note := journal.About(t.Name, t.Role, max(t.First, 1))
	if t.From == nil {
		if _, left, _ := w.LeftByFixer(ctx, t.Name, true); left != "" {
			w.Tell(note.Of(journal.StepNote, "starts over: what the last fixer had done is kept; see it: "+place.HowToSee(w.Place.Checkout, left)))
		}
		return false, nil
	}
	if err := w.Halfway(cmp.Or(t.Kept, t.From.OID)); err != nil {
		return false, err
	}
	err = w.PutKept(ctx, *t.From)
	told := "goes on from what the last session left; --clean would start over"
	switch {
	case errors.Is(err, git.ErrConflict), errors.Is(err, fault.ErrInTheWay):
		told = "starts over: what the last session left conflicts with what is there now; see it: " + place.HowToSee(w.Place.Checkout, t.Kept)
	case err != nil:
		return false, err
	case t.Role == agent.Fixer && t.Passed != "":
		told = "what waited is committed now, without a session, if its checks pass; see it: " + place.HowToSee(w.Place.Checkout, t.Kept)
	case t.Role == agent.Fixer:
		told = "goes on from what the last fixer left; see it: " + place.HowToSee(w.Place.Checkout, t.Kept)
	case t.Passed != "":
		told = "what waited comes on top of what was committed meanwhile, without a session; --clean would start over"
	}
	w.Tell(note.Of(journal.StepNote, told))
	return err == nil, nil
}

// started records where the attempt starts, for a session.
func (w *Worker) started(ctx context.Context, t Task, try prompt.Attempt) error {
	if t.Record != nil && t.passed(try) {
		w.Tip = w.Doc.Tip
		return nil
	}
	tree := w.Repo.EmptyTree()
	if w.Before.Head != "" {
		c, err := w.Repo.ReadCommit(ctx, w.Before.Head)
		if err != nil {
			return err
		}
		tree = c.Tree
	}
	return w.record(ctx, t, journal.Event{Kind: journal.Started, Head: journal.OrNone(w.Before.Head), Tree: tree, Attempt: try.N, By: journal.ByAgent})
}

func (w *Worker) record(ctx context.Context, t Task, e journal.Event) error {
	if t.Record == nil {
		return nil
	}
	err := t.Record(context.WithoutCancel(ctx), e)
	if err == nil && e.Kind == journal.Failed {
		w.untold.take() // this told of it
	}
	if err == nil && w.Doc != nil {
		w.Tip = w.Doc.Tip
	}
	return err
}

// ended is the event of an attempt that is over.
func (w *Worker) ended(kind journal.Kind, try prompt.Attempt, out Outcome) journal.Event {
	return journal.Event{
		Kind: kind, Head: journal.OrNone(w.Before.Head), Attempt: try.N, By: journal.ByAgent,
		Agent: out.Result.Agent, Tokens: out.Result.Tokens, Cost: out.Result.Cost, Took: out.Took,
		Reason: visible.FirstLine(out.Reason), Kept: out.Kept, Proposal: out.Result.Proposal, Stopped: stopped(out),
	}
}

// again prepares the next attempt: it goes on from the tree as it is, and is
// told what failed and what was changed so far.
func (w *Worker) again(ctx context.Context, t Task, try prompt.Attempt, out Outcome) (prompt.Attempt, error) {
	e := w.ended(journal.Failed, try, out)
	e.Reason, e.Kept = e.Reason+KeptAs(out.Kept), "" // what stands there is gone on from, after an interruption
	w.tellFailed(t, try, e.Reason, false)
	if err := w.record(ctx, t, e); err != nil {
		return try, err
	}
	diff, err := w.DiffSoFar(ctx)
	failure := out.Reason
	if w.refused != "" && !strings.Contains(failure, w.refused) {
		failure += "\n\nThe last check that failed in it: " + w.refused
	}
	return prompt.Attempt{N: try.N + 1, Failure: failure, Diff: diff}, err
}

// giveUp keeps what the session left, puts the tree back, and says where the
// work is. Where the set-up changed the tree stays as it is, since every git
// that reads it might run something: a person looks first and approves the plan
// again, and the next step keeps it then.
func (w *Worker) giveUp(ctx context.Context, t Task, try prompt.Attempt, out Outcome) (Outcome, error) {
	ctx = context.WithoutCancel(ctx)
	defer w.tellFailed(t, try, visible.FirstLine(out.Reason), true)
	if out.SetupChanged != nil {
		if err := w.TakeApproval(out.SetupChanged); err != nil {
			return out, err
		}
		return out, w.record(ctx, t, w.ended(journal.Failed, try, out))
	}
	kept, err := w.Keep(ctx, t.Name, whyKept(t, out))
	if err != nil {
		return out, err
	}
	if kept != "" {
		out.Kept = kept
	} else {
		w.noteWhy(out)
	}
	err = w.record(ctx, t, w.ended(journal.Failed, try, out))
	if err == nil { // else the next command tells of it
		w.ForgetProgress()
	}
	return out, err
}

// whyKept is the reason that is kept with what an attempt left. Of a fixer no event
// tells whether it failed, or was stopped as by Ctrl-C: this does.
func whyKept(t Task, out Outcome) string {
	if t.Record == nil && stopped(out) && out.Reason != journal.Interrupted {
		return journal.Interrupted + ": " + out.Reason
	}
	return out.Reason
}

func KeptAs(ref string) string {
	if ref == "" {
		return ""
	}
	return " (kept as " + ref + ")"
}
