package reviewers

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// fix hands what blocks to the fixer and finds out what became of it: where HEAD is now,
// and what the fixer says of each finding.
func (r *running) fix(ctx context.Context, resumed bool) (Repaired, error) {
	var list []Finding
	for _, f := range r.blocking {
		if f.Remedy != "ask" {
			list = append(list, f)
		}
	}
	file, remove, err := findingsFile(list)
	if err != nil {
		return Repaired{}, err
	}
	defer remove()
	m := FixResult{Status: agent.Failed, Reason: "there is no fixer"}
	switch {
	case r.committed != "":
		m = FixResult{Status: agent.Done, Head: r.committed, Reason: "committed before the interruption"}
		r.committed = ""
	case r.Fix != nil:
		m = r.Fix(ctx, Repair{Round: r.target.Round, Base: r.ledger.Base, Head: r.head, Findings: list, File: file, Resumed: resumed})
	}
	told := m
	r.emit(Event{Kind: FixEnded, Round: r.target.Round, Result: &told})
	if m.Waits != nil {
		return Repaired{}, m.Waits
	}
	if m.Head == "" {
		m.Head = r.head
	}
	out, err := r.settle(ctx, m)
	if err != nil || out.Moved != "" || out.Spent != "" {
		return out, err
	}
	err = r.dispose(ctx, list, m, &out)
	if r.later != nil {
		out.Later = r.later.Error()
	}
	if out.Tree != r.ledger.HeadTree {
		r.before, r.head = r.head, m.Head
		r.ledger.Head, r.ledger.HeadTree = m.Head, out.Tree
		r.ledger.reopen()
	}
	return out, err
}

// settle finds out where HEAD is after the fixer.
func (r *running) settle(ctx context.Context, m FixResult) (Repaired, error) {
	out := Repaired{Spent: spent(agent.Result{Status: m.Status, Reason: m.Reason})}
	r.later = later("the fixer", m.Status, m.Reason)
	if m.Status != agent.Done {
		out.Reason = line(strings.TrimSuffix(fmt.Sprintf("%s: %s", m.Status, m.Reason), ": "), maxTitle)
	}
	last := &r.ledger.Rounds[len(r.ledger.Rounds)-1]
	last.Fix = &FixRecord{Head: m.Head, Status: m.Status, Reason: line(m.Reason, maxTitle), Agent: m.Agent, Sessions: m.Sessions, Tokens: m.Tokens, CostUSD: usd(m.Cost)}
	var err error
	if out.Moved, err = r.moved(ctx, m.Head); err != nil || out.Moved != "" {
		return out, err
	}
	descends, err := r.Repo.IsAncestor(ctx, r.head, m.Head)
	if err != nil {
		return out, err
	}
	if !descends {
		out.Moved = fmt.Sprintf("HEAD was rewound from %.10s to %.10s", r.head, m.Head)
		return out, nil
	}
	c, err := r.Repo.ReadCommit(ctx, m.Head)
	out.Tree = c.Tree
	return out, err
}

// dispose records what the fixer says of each finding. A dismissal counts when
// the verifier, who is given the reason, refutes the finding too.
func (r *running) dispose(ctx context.Context, list []Finding, m FixResult, out *Repaired) error {
	last := &r.ledger.Rounds[len(r.ledger.Rounds)-1]
	var dismissed []Finding
	open := map[string]bool{} // it was given, and no word of it counted yet
	for _, f := range list {
		open[f.ID] = true
	}
	known := r.ledger.byID()
	for _, d := range m.Dispositions {
		if !open[d.ID] {
			continue // a finding that it was not given, or a second word about one
		}
		d.Because = line(d.Because, maxText)
		f := known[d.ID]
		switch Status(d.Disposition) {
		case Fixed:
			if out.Tree == r.ledger.HeadTree { // a fix that changed nothing is no fix
				continue
			}
			f.Status, f.Because = Fixed, d.Because
			out.Fixed = append(out.Fixed, d.ID)
		case Dismissed:
			claim := *f
			claim.Status, claim.Because = Dismissed, d.Because
			dismissed = append(dismissed, claim)
		case Asked:
			f.Status, f.Because, f.Remedy = Asked, d.Because, "ask"
		default:
			continue
		}
		last.Fix.Dispositions = append(last.Fix.Dispositions, d)
		open[d.ID] = false
	}
	if len(dismissed) == 0 {
		return nil
	}
	v := r.verified(ctx, dismissed)
	last.Verifier, last.Fix.Verified = v.in(last.Verifier), v.Judged
	out.Spent, r.later = cmp.Or(out.Spent, v.Spent), cmp.Or(r.later, v.Later)
	var refuted []Finding
	for _, f := range dismissed {
		if v.Judged[f.ID].Answer == Refuted {
			refuted = append(refuted, f)
			out.Dismissed = append(out.Dismissed, f.ID)
		}
	}
	r.ledger.keep(refuted)
	return ctx.Err()
}

// reopen takes as confirmed again what blocked when the files were as a fixer has
// made them again.
func (l *Ledger) reopen() {
	if r := l.judged(); r.Tree == l.HeadTree {
		known := l.byID()
		for _, id := range r.Blocking {
			if f := known[id]; f.Status == Fixed {
				f.Status, f.Because = Confirmed, fmt.Sprintf("as in round %d, to whose files a fix went back", r.N)
			}
		}
	}
}
