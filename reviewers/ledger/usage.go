package ledger

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// used returns a line about what the sessions of a round used. What is not reported is unknown, not 0. Rules
// and commands run none, nor does a role whose agent is not set up, or that no budget lets begin.
func (r *Round) used() string {
	all := slices.Clone(r.Reviewers)
	if r.Verifier != nil {
		all = append(all, *r.Verifier)
	}
	if f := r.Fix; f != nil {
		fixer := Reviewed{Name: "fixer", Agent: f.Agent, Sessions: f.Sessions, Tokens: f.Tokens, CostUSD: f.CostUSD}
		if f.Status == agent.Done {
			fixer.Agent = cmp.Or(fixer.Agent, fixer.Name)
		}
		all = append(all, fixer)
	}
	all = slices.DeleteFunc(all, func(v Reviewed) bool { return r.Earlier || v.Agent == "" && v.Tokens == (agent.Tokens{}) })
	var sum agent.Tokens
	var silent []string
	held, cost := 0, agent.Cost{Known: len(all) > 0}
	for _, v := range all {
		held += max(v.Sessions, 1)
		sum = sum.Add(v.Tokens)
		if v.Tokens.In+v.Tokens.Out == 0 {
			silent = append(silent, v.Name)
		}
		if v.CostUSD == nil {
			cost.Known = false
		} else {
			cost.USD += *v.CostUSD
		}
	}
	text := fmt.Sprintf("round %d: %s", r.N, finding.Count(held, "session"))
	if len(silent) < len(all) {
		text += ", " + sum.String()
	}
	if cost.Known {
		text += ", " + cost.String()
	}
	switch {
	case len(silent) == len(all) && held > 0:
		text += ", tokens unknown"
	case len(silent) > 0:
		text += ", tokens unknown for " + some(silent)
	}
	return text + "\n"
}

// USD returns a cost as the ledger writes it; nil if it is not known.
func USD(c agent.Cost) *float64 {
	if !c.Known {
		return nil
	}
	sum := agent.Dollars(c.USD)
	return &sum
}
