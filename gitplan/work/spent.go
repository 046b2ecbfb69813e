package work

import (
	"cmp"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
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
