package reviewers

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Loop is a review to be run. The built-in rules always judge; they are not among
// Reviewers.
type Loop struct {
	Repo       *git.Repo
	Base       string // the branch or commit that the work is compared with, or the empty tree
	Plan       *plan.Plan
	Progress   *progress.Progress // of the plan
	PlanID     string
	Guidelines string // the repository's own instructions, as its base has them
	Reviewers  []Reviewer
	Verifier   Hold
	// VerifierShares says that its sessions can only read; see Panelist.
	VerifierShares bool

	// Fix has findings repaired: a fixer session, its checks, the guard, and one
	// commit. findings names the JSON file for GIT_PLAN_FINDINGS.
	Fix func(ctx context.Context, repair Repair) FixResult

	NoFix   bool
	Rounds  int      // plan.reviewRounds
	BlockOn Severity // plan.blockOn; empty: High
	Earlier *Ledger  // of an earlier review of this branch; may be nil
	// Owner is what precedes the round in the trailers of fixes.
	Owner string

	// Resume is where a review of Subject stopped; if it is nil or of another subject,
	// the review begins from the start. Keep may be nil; it is called with where the
	// review is, by one goroutine at a time.
	Subject string
	Resume  *Progress
	Keep    func(*Progress)
	Report  func(Event) // may be nil; never called by two goroutines at once
}

// Repair is what a fixer is asked to do.
type Repair struct {
	Round      int
	Base, Head string
	Findings   []Finding
	File       string // JSON of Findings, outside of any tree; gone when Fix returns
	Resumed    bool   // a fixer was asked for this before, and did not come to its end
}

// FixResult is what became of a repair. Head is what HEAD was when the fixer's
// work was committed; empty if nothing was.
type FixResult struct {
	Head         string
	Dispositions []agent.Disposition
	Status       agent.Status
	Reason       string
	Waits        error  // why what passed its checks is not committed yet: the next review does it
	Agent        string // that repaired, with its model, as "openai/gpt-5.6"; empty: nobody
	Sessions     int
	Tokens       agent.Tokens
	Cost         agent.Cost
}

// Outcome is how a review ended.
type Outcome struct {
	End    End
	Reason string // one line
	Later  error  // incomplete: the same review goes on later, since somebody was limited or out of reach
	Ledger *Ledger
}

// EventKind says which event of a review it is.
type EventKind string

// The events of a review.
const (
	RoundStarted  EventKind = "round"    // Round
	ReviewerEnded EventKind = "reviewer" // Round, Reviewer
	FindingSeen   EventKind = "finding"  // Round, Finding: its state after verification
	FixEnded      EventKind = "fix"      // Round, Result
	ReviewEnded   EventKind = "end"      // Outcome
)

// Event is something that happened in a review.
type Event struct {
	Kind     EventKind
	Round    int
	Resumed  bool // of a round: it goes on where it stopped
	Reviewer *Report
	Finding  *Finding
	Result   *FixResult
	Outcome  *Outcome
}

// running is a review under way.
type running struct {
	*Loop
	branch      string
	first, head string // HEAD when the review and when the round began
	before      string // the head of the round before; empty in the first
	state       State
	ledger      *Ledger
	secret      map[string]bool
	target      *Target // of the round under way
	blocking    []Finding

	reports   []Report  // usable ones of the round under way
	resumed   bool      // this is not its beginning
	pending   []Finding // what an interrupted round found to block
	committed string    // by an interrupted fixer
	later     error     // why somebody could not do his part now
}

// Run runs the review to its end. The error says why it could not (the repository could
// not be read, the context ended); how it ended is the outcome.
func (l *Loop) Run(ctx context.Context) (*Outcome, error) {
	r, err := l.freeze(ctx)
	if err != nil {
		return nil, err
	}
	if r.ledger.BaseTree == r.ledger.HeadTree {
		return r.stop(end(Incomplete, "there is nothing to review: HEAD is as its base %.10s; --base REF names another", r.ledger.Base)), nil
	}
	next := Action{}
	if next.Do, err = r.resume(ctx); err != nil {
		return nil, err
	}
	for next.Do != Stop {
		if next, err = r.round(ctx, next.Do); err != nil {
			return nil, err
		}
	}
	return r.stop(next), nil
}

// round judges, unless that was done already, and fixes if that is what follows. Its
// clone is gone when it returns.
func (r *running) round(ctx context.Context, do Do) (Action, error) {
	remove, err := r.begin(ctx)
	if err != nil {
		return Action{}, err
	}
	defer remove()
	var next Action
	if do == Judge {
		judged, err := r.judge(ctx)
		if err := cmp.Or(context.Cause(ctx), err); err != nil {
			return Action{}, err
		}
		if r.state, next = AfterJudging(r.state, judged); next.Do != Fix {
			return next, nil
		}
		r.keep(Fix)
	}
	repaired, err := r.fix(ctx, do == Fix)
	if err := cmp.Or(context.Cause(ctx), err); err != nil {
		return Action{}, err
	}
	r.state, next = AfterFixing(r.state, repaired)
	switch {
	case next.Do == Judge:
		r.reports = nil
		r.keep(Judge)
	case next.End == Oscillation:
		next.Reason += ": " + r.ledger.between()
	}
	return next, nil
}

// freeze resolves what is judged against what.
func (l *Loop) freeze(ctx context.Context) (*running, error) {
	r := &running{Loop: l, state: Begin(l.Rounds, l.NoFix), secret: map[string]bool{}}
	if l.BlockOn == "" {
		l.BlockOn = High
	}
	head, err := l.Repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("HEAD: %w", err)
	}
	if r.branch, err = l.Repo.Branch(ctx); err != nil {
		return nil, err
	}
	r.first, r.head = head.OID, head.OID
	r.ledger = &Ledger{Schema: ledgerSchema, Plan: l.PlanID, Branch: r.branch, Head: head.OID, HeadTree: head.Tree}
	if l.Earlier != nil {
		r.ledger.Findings = l.Earlier.handedOn()
	}
	if l.Base == l.Repo.EmptyTree() {
		r.ledger.Base, r.ledger.BaseTree = l.Base, l.Base
		return r, nil
	}
	base, err := l.Repo.MergeBase(ctx, l.Base, head.OID)
	if errors.Is(err, git.ErrMissing) {
		return nil, &fault.Fault{Kind: fault.ErrNoBase, Text: "the branch has no commit in common with " + l.Base}
	}
	if err != nil {
		return nil, err
	}
	commit, err := l.Repo.ReadCommit(ctx, base)
	r.ledger.Base, r.ledger.BaseTree = base, commit.Tree
	return r, err
}

func (r *running) stop(a Action) *Outcome {
	if len(r.blocking) > 0 && (a.End == RoundsUp || a.End == Stalemate) {
		f := r.blocking[0]
		a.Reason += fmt.Sprintf("; first %s: %s (%s)", showPath(f.Place()), f.Title, f.ID)
	}
	r.ledger.End, r.ledger.Reason = a.End, a.Reason
	out := &Outcome{End: a.End, Reason: a.Reason, Ledger: r.ledger}
	if a.End == Incomplete {
		out.Later = r.later
	}
	r.emit(Event{Kind: ReviewEnded, Outcome: out})
	return out
}

func (r *running) emit(e Event) {
	if r.Report != nil {
		r.Report(e)
	}
}

// moved says how somebody else moved the branch; empty if nobody did.
func (r *running) moved(ctx context.Context, want string) (string, error) {
	branch, err := r.Repo.Branch(ctx)
	if err != nil {
		return "", err
	}
	if branch != r.branch {
		return fmt.Sprintf("the branch was switched from %s to %s", named(r.branch), named(branch)), nil
	}
	head, err := r.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	if head != want {
		return fmt.Sprintf("HEAD was moved from %.10s to %.10s by somebody else", want, head), nil
	}
	return "", nil
}

func named(branch string) string {
	if branch == "" {
		return "a detached HEAD"
	}
	return showPath(branch)
}
