package rounds

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// keep writes down where the review is.
func (r *running) keep(next Do) {
	if r.Keep == nil {
		return
	}
	p := &Progress{
		Schema: ledger.Schema, Subject: r.Subject, Next: next, State: r.state, First: r.first, Before: r.before,
		Block: r.blocking, Reports: r.reports, Ledger: r.ledger,
	}
	for path := range r.secret {
		p.Secret = append(p.Secret, path)
	}
	slices.Sort(p.Secret)
	r.Keep(p)
}

// resume continues a review that stopped, if that is possible, or begins another one; then
// what the stopped one had confirmed is verified again, as after any other review. It
// returns what comes next.
func (r *running) resume(ctx context.Context) (Do, error) {
	p := r.Resume
	if p == nil || p.Schema != ledger.Schema || p.Ledger == nil || p.Ledger.Branch != r.branch {
		return Judge, nil
	}
	do, err := r.takeUp(ctx, p)
	if !r.resumed {
		known := r.ledger.ByID()
		for _, f := range p.Ledger.HandedOn() {
			if known[f.ID] == nil {
				known[f.ID] = &f
				r.ledger.Findings = append(r.ledger.Findings, f)
			}
		}
	}
	return do, err
}

// takeUp continues a review if the branch is as that review left it, or has nothing new but
// its fixer's commit.
func (r *running) takeUp(ctx context.Context, p *Progress) (Do, error) {
	if p.Subject != r.Subject || p.Ledger.BaseTree != r.ledger.BaseTree || p.State.Round < 1 ||
		p.Next == Fix && len(p.State.Trees)*len(p.Ledger.Rounds) == 0 {
		return Judge, nil
	}
	rounds, noFix := r.state.Rounds, r.state.NoFix // as they are asked for now
	fixes := p.Next == Fix && !noFix && p.State.Round < rounds
	if p.Ledger.Head != r.head {
		own, err := r.fixed(ctx, p)
		if err != nil || !own || !fixes {
			return Judge, err
		}
		r.committed = r.head
	}
	r.state, r.ledger, r.before, r.reports = p.State, p.Ledger, p.Before, p.Reports
	r.state.Rounds, r.state.NoFix = rounds, noFix
	r.first, r.head, r.resumed = p.First, p.Ledger.Head, true
	for _, path := range p.Secret {
		r.secret[path] = true
	}
	switch {
	case fixes:
		r.pending = p.Block
		return Fix, nil
	case p.Next == Fix: // nobody is to fix it any more: the answers that there are end the review
		r.state.Trees, r.ledger.Rounds = r.state.Trees[:len(r.state.Trees)-1], r.ledger.Rounds[:len(r.ledger.Rounds)-1]
	}
	return Judge, nil
}

// fixed reports whether all that came since is what the round's fixer committed.
func (r *running) fixed(ctx context.Context, p *Progress) (bool, error) {
	if ok, err := r.Repo.IsAncestor(ctx, p.Ledger.Head, r.head); err != nil || !ok {
		return false, nil // a rewritten branch is another one
	}
	since, err := scan.CommitsOf(ctx, r.Repo, p.Ledger.Head, r.head)
	if err != nil || len(since) != 1 {
		return false, err
	}
	return strings.Contains("\n"+since[0].Message+"\n", "\n"+FixTrailer(r.Owner, p.State.Round)+"\n"), nil
}

// FixTrailer returns the trailer of a fixer's commit in a round.
func FixTrailer(owner string, round int) string {
	return journal.ReviewTrailer + ": " + owner + "/" + strconv.Itoa(round)
}

// answered is a reviewer that has judged this round already.
type answered struct {
	panel.Reviewer
	report panel.Report
}

func (a answered) Review(context.Context, *panel.Target) panel.Report { return a.report }

// unasked replaces each reviewer who has answered already by its answer.
func (r *running) unasked(wave []panel.Reviewer) []panel.Reviewer {
	out := slices.Clone(wave)
	for i, v := range out {
		for _, rep := range r.reports {
			if rep.Reviewer == v.Name() {
				out[i] = answered{v, rep}
			}
		}
	}
	return out
}

// answer keeps a usable answer of the round under way.
func (r *running) answer(rep panel.Report) {
	if rep.Incomplete == "" && !slices.ContainsFunc(r.reports, func(o panel.Report) bool { return o.Reviewer == rep.Reviewer }) {
		r.reports = append(r.reports, rep)
		r.keep(Judge)
	}
}
