package gitplan

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
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Worker does tasks in the work tree of one checkout.
type Worker struct {
	Place
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
	text       io.Closer // while the plan's text is held, see holdText
}

// Work does a task: a fresh session, its checks, the inspection of what it
// changed, one commit. An attempt that fails is followed by another fresh
// session that is told why. Whatever the end, the tree is then as it was
// before or holds exactly the committed work, and what a session left is kept.
func (w *Worker) Work(ctx context.Context, t Task) (Outcome, error) {
	if err := w.affordable(t); err != nil {
		return Outcome{}, err
	}
	w.byproducts = map[string]bool{}
	if err := w.canConfine(ctx, t); err != nil {
		return Outcome{}, err
	}
	release, err := w.holdText(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer release()
	leave, err := w.enter(ctx)
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
		out.Reason = w.masked(out.Reason)
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
				w.forgetProgress()
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
	untouched, refs := w.scene().Read(w.now()), w.Repo.RefsNow()
	w.based = w.bases(ctx)
	try.Session = sessionID(t, try.N)
	rec, err := w.scene().Record(ctx, &untouched, t.Name, try.Session)
	if err != nil {
		return Outcome{}, err
	}
	defer func() {
		changed, moved, lost := w.scene().End(context.WithoutCancel(ctx), rec)
		moved = slices.DeleteFunc(moved, func(text string) bool { return strings.Contains(out.Reason, text) })
		out.Reported = append(out.Reported, moved...)
		if err == nil && out.Status == agent.Done {
			out.SetupChanged, err = changed, lost
		}
	}()
	defer func() { out.Reported = append(out.Reported, w.scene().GrantedMeanwhile(untouched)...) }()
	if w.index, err = w.tree().OpenIndex(); err != nil {
		return Outcome{}, err
	}
	began := time.Now()
	w.trying, w.since = try.N, time.Time{}
	result := w.session(ctx, t, &try, untouched)
	out = Outcome{Ending: Ending{Status: result.Status, Reason: result.Reason}, Question: result.Question, Result: result, Took: time.Since(began)}

	if out.Status == agent.Cancelled {
		out.Reason = journal.Interrupted
	}
	held := journal.FreeOfLocks(w.tree(), began, w.ownRefs()...)
	left, err := w.inPlace(context.WithoutCancel(ctx), t.Name, untouched, &out.Ending) // the set-up is looked at whoever holds a lock
	if err != nil || out.SetupChanged != nil {
		return out, err
	}
	if held != nil {
		return out, held // the next command finds what was done as after a crash
	}
	changed := w.refsChanged(refs)
	touched, told := w.untrackedTouched(context.WithoutCancel(ctx))
	out.Reported = slices.Concat(out.Reported, otherRefs(changed), told)
	if left != nil {
		left.touched = touched
	}
	if text := w.committedOn(context.WithoutCancel(ctx), changed); text != "" {
		defer func() { out.alsoSay(text) }()
	}
	if left != nil && len(left.folded) > 0 {
		out.Reported = append(out.Reported, committedByItself(left.folded))
	}
	if out.Status != agent.Done {
		return out, nil
	}
	err = w.notBarred(ctx, &out.Ending, w.judge(ctx, t, try, untouched, left, &out))
	if hidden := left.status.Unignored; out.Commit != "" && out.Commit != journal.None && len(hidden) > 0 {
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
	if err != nil || w.own.Tree == "" || c.Tree != w.own.Tree || len(c.Parents) > 1 || strings.Join(c.Parents, "") != w.onto {
		return false
	}
	out.Status, out.Reason, out.Commit = agent.Done, "", c.OID
	return true
}

// begin notes what is in the tree before a task, and goes on from what an
// interrupted attempt had done.
func (w *Worker) begin(ctx context.Context, t Task) (resumed bool, err error) {
	if err := w.rememberUntracked(ctx, t.Name); err != nil {
		return false, err
	}
	w.first = w.now()
	note := journal.About(t.Name, t.Role, max(t.First, 1))
	if t.From == nil {
		if _, left, _ := w.LeftByFixer(ctx, t.Name, true); left != "" {
			w.Tell(note.Of(journal.StepNote, "starts over: what the last fixer had done is kept; see it: "+howToSee(w.Place.Checkout, left)))
		}
		return false, nil
	}
	if err := w.halfway(cmp.Or(t.Kept, t.From.OID)); err != nil {
		return false, err
	}
	err = w.putKept(ctx, *t.From)
	told := "goes on from what the last session left; --clean would start over"
	switch {
	case errors.Is(err, git.ErrConflict), errors.Is(err, fault.ErrInTheWay):
		told = "starts over: what the last session left conflicts with what is there now; see it: " + howToSee(w.Place.Checkout, t.Kept)
	case err != nil:
		return false, err
	case t.Role == agent.Fixer && t.Passed != "":
		told = "what waited is committed now, without a session, if its checks pass; see it: " + howToSee(w.Place.Checkout, t.Kept)
	case t.Role == agent.Fixer:
		told = "goes on from what the last fixer left; see it: " + howToSee(w.Place.Checkout, t.Kept)
	case t.Passed != "":
		told = "what waited comes on top of what was committed meanwhile, without a session; --clean would start over"
	}
	w.Tell(note.Of(journal.StepNote, told))
	return err == nil, nil
}

// started records where the attempt starts, for a session.
func (w *Worker) started(ctx context.Context, t Task, try prompt.Attempt) error {
	if t.Record != nil && t.passed(try) {
		w.tip = w.Doc.Tip
		return nil
	}
	tree := w.Repo.EmptyTree()
	if w.before.Head != "" {
		c, err := w.Repo.ReadCommit(ctx, w.before.Head)
		if err != nil {
			return err
		}
		tree = c.Tree
	}
	return w.record(ctx, t, journal.Event{Kind: journal.Started, Head: journal.OrNone(w.before.Head), Tree: tree, Attempt: try.N, By: journal.ByAgent})
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
		w.tip = w.Doc.Tip
	}
	return err
}

// ended is the event of an attempt that is over.
func (w *Worker) ended(kind journal.Kind, try prompt.Attempt, out Outcome) journal.Event {
	return journal.Event{
		Kind: kind, Head: journal.OrNone(w.before.Head), Attempt: try.N, By: journal.ByAgent,
		Agent: out.Result.Agent, Tokens: out.Result.Tokens, Cost: out.Result.Cost, Took: out.Took,
		Reason: visible.FirstLine(out.Reason), Kept: out.Kept, Proposal: out.Result.Proposal, Stopped: stopped(out),
	}
}

// again prepares the next attempt: it goes on from the tree as it is, and is
// told what failed and what was changed so far.
func (w *Worker) again(ctx context.Context, t Task, try prompt.Attempt, out Outcome) (prompt.Attempt, error) {
	e := w.ended(journal.Failed, try, out)
	e.Reason, e.Kept = e.Reason+keptAs(out.Kept), "" // what stands there is gone on from, after an interruption
	w.tellFailed(t, try, e.Reason, false)
	if err := w.record(ctx, t, e); err != nil {
		return try, err
	}
	diff, err := w.diffSoFar(ctx)
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
		if err := w.takeApproval(out.SetupChanged); err != nil {
			return out, err
		}
		return out, w.record(ctx, t, w.ended(journal.Failed, try, out))
	}
	kept, err := w.keep(ctx, t.Name, whyKept(t, out))
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
		w.forgetProgress()
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

func keptAs(ref string) string {
	if ref == "" {
		return ""
	}
	return " (kept as " + ref + ")"
}
