package budget

import (
	"cmp"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// spent is what sessions used.
type spent struct {
	tokens int64 // in and out
	usd    float64
	took   time.Duration
}

func (s spent) add(o spent) spent {
	return spent{s.tokens + o.tokens, s.usd + o.usd, s.took + o.took}
}

// unknown names the agent that does not report what a session used, and the one whose price is
// not known.
type unknown struct{ tokens, cost string }

func unknownOf(who string, t agent.Tokens, c agent.Cost) (u unknown) {
	if t.Unreported > 0 {
		u.tokens = who
	}
	if t.In > 0 && !c.Known {
		u.cost = who
	}
	return u
}

func (u unknown) or(o unknown) unknown {
	return unknown{cmp.Or(u.tokens, o.tokens), cmp.Or(u.cost, o.cost)}
}

// spentIn returns what the sessions of an event used, and who did not report it. What had no
// price then gets the one that is set now.
func spentIn(c *settings.Config, e journal.Event) (u spent, not unknown) {
	u = spent{tokens: e.Tokens.In + e.Tokens.Out, took: e.Took}
	held := e.Held
	if len(held) == 0 {
		held = []journal.Held{{Agent: e.Agent, Tokens: e.Tokens, Cost: e.Cost}}
	}
	for _, h := range held {
		if !h.Cost.Known {
			name, _, _ := strings.Cut(h.Agent, "/")
			price, _ := c.Price(name) // one that is wrong is reported where the agent is set up
			h.Cost = price.Of(h.Tokens)
		}
		u.usd += h.Cost.USD
		not = not.or(unknownOf(h.Agent, h.Tokens, h.Cost))
	}
	if e.Stopped || e.Reason == journal.Interrupted { // a session that was cut short could not report it
		not = unknown{}
	}
	return u, not
}
