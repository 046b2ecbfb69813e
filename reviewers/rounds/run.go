package rounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Run runs the review to its end. The error says why it could not (the repository could
// not be read, the context ended); how it ended is the outcome.
func (l *Loop) Run(ctx context.Context) (*ledger.Outcome, error) {
	r, err := l.freeze(ctx)
	if err != nil {
		return nil, err
	}
	if r.ledger.BaseTree == r.ledger.HeadTree {
		return r.stop(end(ledger.Incomplete, "there is nothing to review: HEAD is identical to its base %.10s; to compare with another: --base REF", r.ledger.Base)), nil
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
	case next.End == ledger.Oscillation:
		next.Reason += ": " + r.ledger.Between()
	}
	return next, nil
}

// freeze resolves what is judged against what.
func (l *Loop) freeze(ctx context.Context) (*running, error) {
	r := &running{Loop: l, state: Begin(l.Rounds, l.NoFix), secret: map[string]bool{}}
	if l.BlockOn == "" {
		l.BlockOn = finding.High
	}
	head, err := l.Repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("HEAD: %w", err)
	}
	if r.branch, err = l.Repo.Branch(ctx); err != nil {
		return nil, err
	}
	r.first, r.head = head.OID, head.OID
	r.ledger = &ledger.Ledger{Schema: ledger.Schema, Plan: l.PlanID, Branch: r.branch, Head: head.OID, HeadTree: head.Tree}
	if l.Earlier != nil {
		r.ledger.Findings = l.Earlier.HandedOn()
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

func (r *running) stop(a Action) *ledger.Outcome {
	if len(r.blocking) > 0 && (a.End == ledger.RoundsUp || a.End == ledger.Stalemate) {
		f := r.blocking[0]
		a.Reason += fmt.Sprintf("; first %s: %s (%s)", finding.ShowPath(f.Place()), f.Title, f.ID)
	}
	r.ledger.End, r.ledger.Reason = a.End, a.Reason
	out := &ledger.Outcome{End: a.End, Reason: a.Reason, Ledger: r.ledger}
	if a.End == ledger.Incomplete {
		out.Later = r.later
	}
	r.emit(Event{Kind: ReviewEnded, Outcome: out})
	return out
}
