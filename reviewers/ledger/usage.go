package ledger

import (
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// usage is what the sessions of one role used in a round, as far as they say.
type usage struct {
	who    string
	n      int
	tokens agent.Tokens // all zero: it did not say
	usd    *float64     // nil: nobody knows
}

// sessions returns those of a round. Rules and commands run none, nor does a role whose
// agent is not set up, or that no budget lets begin.
func (r *Round) sessions() []usage {
	var out []usage
	if r.Earlier {
		return nil
	}
	judges := slices.Clone(r.Reviewers)
	if r.Verifier != nil {
		judges = append(judges, *r.Verifier)
	}
	for _, v := range judges {
		if v.Agent != "" || v.Tokens != (agent.Tokens{}) {
			out = append(out, usage{v.Name, max(v.Sessions, 1), v.Tokens, v.CostUSD})
		}
	}
	if f := r.Fix; f != nil && (f.Status == agent.Done || f.Agent != "" || f.Tokens != (agent.Tokens{})) {
		out = append(out, usage{"fixer", max(f.Sessions, 1), f.Tokens, f.CostUSD})
	}
	return out
}

// sumOf adds up sessions. The cost is known if that of each of them is; silent are those
// that did not report what they used.
func sumOf(all []usage) (sum agent.Tokens, cost agent.Cost, silent []string) {
	cost.Known = len(all) > 0
	for _, u := range all {
		sum = sum.Add(u.tokens)
		if u.tokens.In+u.tokens.Out == 0 {
			silent = append(silent, u.who)
		}
		if u.usd == nil {
			cost.Known = false
		} else {
			cost.USD += *u.usd
		}
	}
	return sum, cost, silent
}

// used returns a line about what a round used. What is not reported is unknown, not 0.
func (r *Round) used() string {
	all := r.sessions()
	sum, cost, silent := sumOf(all)
	held := 0
	for _, u := range all {
		held += u.n
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
