package rounds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// fix hands the blocking findings to the fixer and determines the outcome.
func (r *running) fix(ctx context.Context) (Repaired, error) {
	list := slices.DeleteFunc(slices.Clone(r.blocking), func(f finding.Finding) bool { return f.Remedy == "ask" })
	file, remove, err := finding.TempFile(list)
	if err != nil {
		return Repaired{}, err
	}
	defer remove()
	m := FixResult{Status: agent.Failed, Reason: "there is no fixer"}
	if r.Fix != nil {
		m = r.Fix(ctx, Repair{Round: r.target.Round, Base: r.ledger.Base, Head: r.head, Findings: list, Tried: r.target.Tried(list), File: file, Resumed: r.fixing})
	}
	r.fixing = false
	r.notify(FixEnded(r.target.Round, m))
	if m.Waits != nil {
		return Repaired{}, m.Waits
	}
	m.Head = cmp.Or(m.Head, r.head)
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
		r.ledger.Reopen()
	}
	return out, err
}

func (r *running) settle(ctx context.Context, m FixResult) (Repaired, error) {
	out := Repaired{Spent: panel.Spent(agent.Result{Status: m.Status, Reason: m.Reason})}
	r.later = panel.Later("the fixer", m.Status, m.Reason)
	if m.Status != agent.Done {
		out.Reason = finding.Line(strings.TrimSuffix(fmt.Sprintf("%s: %s", m.Status, m.Reason), ": "), finding.MaxTitle)
	}
	last := &r.ledger.Rounds[len(r.ledger.Rounds)-1]
	last.Fix = &ledger.FixRecord{Head: m.Head, Status: m.Status, Reason: finding.Line(m.Reason, finding.MaxTitle), Agent: m.Agent, Sessions: m.Sessions, Tokens: m.Tokens, CostUSD: journal.Dollars(m.Cost)}
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

// dispose records what the fixer says of each finding. A dismissal counts if the verifier, who is given the reason,
// refutes the finding too.
func (r *running) dispose(ctx context.Context, list []finding.Finding, m FixResult, out *Repaired) error {
	last := &r.ledger.Rounds[len(r.ledger.Rounds)-1]
	var dismissed []finding.Finding
	open := map[string]bool{} // given to the fixer, and not yet answered
	for _, f := range list {
		open[f.ID] = true
	}
	known := r.ledger.ByID()
	for _, d := range m.Dispositions {
		if len(list) == 1 && known[d.ID] == nil {
			d.ID = list[0].ID // only this one can be meant
		}
		if !open[d.ID] {
			continue // a finding that it was not given, or a second word about one
		}
		d.Because = finding.Line(d.Because, finding.MaxText)
		f := known[d.ID]
		switch finding.Status(d.Disposition) {
		case finding.Fixed:
			if out.Tree == r.ledger.HeadTree { // a fix without a change is not a fix
				continue
			}
			f.Status, f.Because = finding.Fixed, d.Because
			out.Fixed = append(out.Fixed, d.ID)
		case finding.Dismissed:
			claim := *f
			claim.Status, claim.Because = finding.Dismissed, d.Because
			dismissed = append(dismissed, claim)
		case finding.Asked:
			f.Status, f.Because, f.Remedy = finding.Asked, d.Because, "ask"
		default:
			continue
		}
		last.Fix.Dispositions = append(last.Fix.Dispositions, d)
		open[d.ID] = false
	}
	if len(dismissed) == 0 {
		return nil
	}
	v := r.Verifier.Verify(ctx, r.target, dismissed)
	last.Verifier, last.Fix.Verified = v.Record(&r.verified), v.Judged
	out.Spent, r.later = cmp.Or(out.Spent, v.Spent), cmp.Or(r.later, v.Later)
	if v.Incomplete != "" {
		out.Later = "the verifier of what the fixer dismisses: " + v.Incomplete
	}
	var refuted []finding.Finding
	for _, f := range dismissed {
		if v.Judged[f.ID].Answer == finding.Refuted {
			refuted = append(refuted, f)
			out.Dismissed = append(out.Dismissed, f.ID)
		}
	}
	r.ledger.Keep(refuted)
	return ctx.Err()
}
