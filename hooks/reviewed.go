package hooks

import (
	"cmp"
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// reviewFacts gathers what is known about the review of what one ref brings: the verdicts
// for exactly these trees, the branch's own last ledger, and what its comparison needs.
// It reads and decides nothing; doc and last may be nil.
func (p *pushing) reviewFacts(ctx context.Context, doc *journal.Document, last *ledger.Ledger, r *reach, name string) reviewFacts {
	f := reviewFacts{
		name: name, block: p.mode == block, planned: doc != nil, first: r.first,
		base: r.of, pushedFrom: r.base, blocking: blocking(last), passedBefore: passedBefore(last),
	}
	f.isBase = doc == nil && strings.TrimPrefix(r.of, "origin/") == name
	var pl *plan.Plan
	if doc != nil {
		pl = doc.Plan
	}
	known := func(base string) *ledger.Verdict {
		v, err := reviewers.Known(ctx, p.Checkout, pl, cmp.Or(base, p.Repo.EmptyTree()), r.head.OID)
		if err == nil {
			f.comparable = true
		} else if f.unknown == "" {
			f.unknown = err.Error()
		}
		return v
	}
	for _, base := range verdictBases(doc, r) {
		v := known(base)
		if f.verdict = f.verdict || v.Passes(); f.passes() {
			return f
		}
		if f.ended == "" && v != nil && !v.Passes() {
			f.ended = v.End
		}
	}
	if f.unknown != "" {
		_, err := reviewers.Configured(ctx, p.Checkout, r.head.OID, nil, nil)
		f.repairs = err == nil
	}
	if !r.known && r.work != "" && r.base != "" && r.work != r.base {
		f.partPassed = known(r.work).Passes()
	}
	return f
}

// verdictBases returns the commits that a verdict for r may compare its head with: where
// the branch left its base, if the remote has that, and where the push begins. "" stands
// for nothing at all, which the review of a plan without a start compares with.
func verdictBases(doc *journal.Document, r *reach) []string {
	bases := []string{r.base}
	if r.known && r.work != r.base {
		bases = []string{r.work, r.base}
	}
	if doc != nil && doc.Start() == journal.None {
		bases = append(bases, "")
	}
	return bases
}

// lastReview returns the ledger of the branch's last review, from its plan, or without a
// plan from this clone; nil if that review was of other files than head's.
func (p *pushing) lastReview(ctx context.Context, doc *journal.Document, branch, head string) *ledger.Ledger {
	l, err := ledger.Last(ctx, p.Store, doc, branch)
	if err != nil || l == nil {
		return nil
	}
	if c, err := p.Repo.ReadCommit(ctx, head); err != nil || l.HeadTree != c.Tree {
		return nil
	}
	return l
}

// blocking returns how many findings of a ledger block; 0 without a ledger.
func blocking(l *ledger.Ledger) int {
	if l == nil {
		return 0
	}
	return len(l.Blocking())
}

// passedBefore reports whether a ledger is of a review by all reviewers that passed.
func passedBefore(l *ledger.Ledger) bool {
	return l != nil && l.End.Passes() && len(l.Only) == 0
}
