package rounds

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// Run runs the review to its end. The error says why it could not; how it ended is the outcome.
func (l *Loop) Run(ctx context.Context) (*ledger.Outcome, error) {
	r, err := l.freeze(ctx)
	if err != nil {
		return nil, err
	}
	if r.ledger.BaseTree == r.ledger.HeadTree {
		if l.Earlier != nil { // what it found was not judged again
			r.ledger.Findings = l.Earlier.Findings
		}
		return r.stop(end(ledger.Incomplete, "there is nothing to review: HEAD is identical to its base %.10s; to compare with another: --base REF", r.ledger.Base)), nil
	}
	r.resume()
	next := Action{Do: Judge}
	for next.Do != Stop {
		if next, err = r.round(ctx); err != nil {
			return nil, err
		}
	}
	return r.stop(next), nil
}

func (r *running) round(ctx context.Context) (Action, error) {
	remove, err := r.begin(ctx)
	if err != nil {
		return Action{}, err
	}
	defer remove()
	judged, err := r.judge(ctx)
	if err := cmp.Or(context.Cause(ctx), err); err != nil {
		return Action{}, err
	}
	var next Action
	if r.state, next = AfterJudging(r.state, judged); next.Do != Fix {
		return next, nil
	}
	r.keep(Fix)
	repaired, err := r.fix(ctx)
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

func (l *Loop) freeze(ctx context.Context) (*running, error) {
	r := &running{Loop: l, state: Begin(l.Rounds, l.NoFix), secret: map[string]bool{}}
	l.BlockOn = cmp.Or(l.BlockOn, finding.High)
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
		r.ledger.Findings = l.Earlier.CarryOver()
	}
	r.ledger.Base = l.Base
	r.ledger.BaseTree, err = l.Repo.Resolve(ctx, l.Base+"^{tree}")
	return r, err
}

func (r *running) stop(a Action) *ledger.Outcome {
	known := r.ledger.ByID()
	open := slices.IndexFunc(r.blocking, func(f finding.Finding) bool {
		return !slices.Contains([]finding.Status{finding.Fixed, finding.Dismissed, finding.Refuted}, known[f.ID].Status)
	})
	if open >= 0 && (a.End == ledger.RoundsUp || a.End == ledger.Stalemate) {
		f := r.blocking[open]
		a.Reason += fmt.Sprintf("; first %s: %s (%s)", finding.ShowPath(f.Place()), f.Title, f.ID)
	}
	r.ledger.End, r.ledger.Reason = a.End, a.Reason
	out := &ledger.Outcome{Ledger: r.ledger}
	if a.End == ledger.Incomplete {
		out.Later = r.later
	}
	code := a.End.Code()
	r.notify(journal.Notice{Kind: journal.ReviewEnd, End: string(a.End), ExitCode: &code, Commit: r.ledger.Head,
		Reason: a.Reason, Text: fmt.Sprintf("%s: %s", a.End.Words(), a.Reason)})
	return out
}

func (r *running) keep(next Do) {
	if r.Keep != nil {
		r.Keep(&Progress{
			Schema: ledger.Schema, Subject: r.Subject, Next: next, State: r.state, First: r.first, Before: r.before,
			Secret: slices.Sorted(maps.Keys(r.secret)), Reports: r.reports, Ledger: r.ledger,
		})
	}
}

// resume goes on with a review that stopped, or verifies again what that one had confirmed.
func (r *running) resume() {
	p := r.Resume
	if p == nil || p.Schema != ledger.Schema || p.Ledger == nil || p.Ledger.Branch != r.branch || r.resumeFrom(p) {
		return
	}
	known := func(f finding.Finding) bool { return r.ledger.Finding(f.ID) != nil }
	r.ledger.Findings = append(r.ledger.Findings, slices.DeleteFunc(p.Ledger.CarryOver(), known)...)
}

// resumeFrom continues a review, and reports whether it could.
func (r *running) resumeFrom(p *Progress) bool {
	judged := p.Next == Fix
	if p.Subject != r.Subject || p.Ledger.BaseTree != r.ledger.BaseTree || p.Ledger.Head != r.head || p.State.Round < 1 ||
		judged && (len(p.State.Trees) == 0 || len(p.Ledger.Rounds) == 0) {
		return false
	}
	rounds, noFix := r.state.Rounds, r.state.NoFix // as they are asked for now
	r.state, r.ledger, r.before, r.reports = p.State, p.Ledger, p.Before, p.Reports
	r.state.Rounds, r.state.NoFix = rounds, noFix
	r.first, r.resumed, r.fixing = p.First, true, judged
	for _, path := range p.Secret {
		r.secret[path] = true
	}
	if judged {
		r.state.Trees, r.ledger.Rounds = r.state.Trees[:len(r.state.Trees)-1], r.ledger.Rounds[:len(r.ledger.Rounds)-1]
	}
	return true
}

type answered struct {
	panel.Reviewer
	report panel.Report
}

func (a answered) Review(context.Context, *panel.Target) panel.Report { return a.report }

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

func (r *running) answer(rep panel.Report) {
	if rep.Incomplete == "" && !slices.ContainsFunc(r.reports, func(o panel.Report) bool { return o.Reviewer == rep.Reviewer }) {
		r.reports = append(r.reports, rep)
		r.keep(Judge)
	}
}
