package panel

import (
	"cmp"
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Reviewer judges a target. Its implementations are [Panelist], which is a [Persona] with
// somebody to run its sessions, [Command] and, outside of the panel, [Rules].
type Reviewer interface {
	Name() string
	// Digest identifies what judges: if it differs, an earlier verdict is not its own.
	Digest() string
	// Review never fails: what went wrong is in the report. It ends when ctx does.
	Review(ctx context.Context, t *Target) Report
}

// Report is one reviewer's answer in one round.
type Report struct {
	Reviewer string
	// Incomplete says in one line why there is no usable answer; empty when there is one.
	Incomplete string
	Required   bool     // an incomplete report of it makes the round incomplete
	Spoiled    string   // what it changed in its copy, after which it was asked again
	Spent      string   // why the budget did not allow it to go on
	Later      error    `json:"-"` // why it could not answer now; no word against it
	Covered    []string // changed paths that it says it judged, out of those it could see
	Findings   []finding.Finding
	Agent      string // who ran, as "openai/gpt-5.6"; empty for rules
	Sessions   int    // run for it
	Tokens     agent.Tokens
	Cost       agent.Cost
}

// with joins the report of another part.
func (r Report) with(o Report) Report {
	r.Incomplete, r.Spent, r.Later = cmp.Or(r.Incomplete, o.Incomplete), cmp.Or(r.Spent, o.Spent), cmp.Or(r.Later, o.Later)
	known := map[string]bool{}
	for _, path := range r.Covered {
		known[path] = true
	}
	for _, path := range o.Covered {
		if !known[path] {
			r.Covered = append(r.Covered, path)
		}
	}
	r.Findings = finding.Merge(r.Findings, o.Findings)
	r.Agent = cmp.Or(r.Agent, o.Agent)
	r.Sessions += o.Sessions
	r.Tokens = r.Tokens.Add(o.Tokens)
	r.Cost = agent.Cost{USD: r.Cost.USD + o.Cost.USD, Known: r.Cost.Known && o.Cost.Known}
	return r
}

// after adds what was used before by the same reviewer, who is asked again.
func (r Report) after(before Report) Report {
	r.Sessions += before.Sessions
	r.Tokens = r.Tokens.Add(before.Tokens)
	r.Cost = agent.Cost{USD: r.Cost.USD + before.Cost.USD, Known: r.Cost.Known && (before.Cost.Known || before.Sessions == 0)}
	return r
}

// Reviewed returns what the ledger keeps of the report.
func (r Report) Reviewed() ledger.Reviewed {
	v := ledger.Reviewed{Name: r.Reviewer, Agent: r.Agent, Incomplete: r.Incomplete, Covered: r.Covered, Sessions: r.Sessions, Tokens: r.Tokens, CostUSD: ledger.USD(r.Cost)}
	for _, f := range r.Findings {
		v.Findings = append(v.Findings, f.ID)
	}
	return v
}
