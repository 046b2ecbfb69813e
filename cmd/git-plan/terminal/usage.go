package terminal

import (
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// clock writes a duration as a clock shows it: 0:42, 1:02:03.
func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// usage is what sessions used, as far as they reported it.
type usage struct {
	tokens    agent.Tokens
	usd       float64
	costKnown bool // somebody reported a price
	costGap   bool // somebody used tokens and reported none
}

func (u usage) add(o usage) usage {
	return usage{u.tokens.Add(o.tokens), u.usd + o.usd, u.costKnown || o.costKnown, u.costGap || o.costGap}
}

// facts returns time, tokens and cost in their short forms.
func (u usage) facts(took time.Duration) []string {
	out := []string{clock(took)}
	if n := u.tokens.In + u.tokens.Out; n > 0 {
		out = append(out, thousands(n)+" tok")
	}
	if u.costKnown {
		out = append(out, agent.Cost{USD: u.usd, Known: true}.String())
	}
	return out
}

// sum returns all tokens in their short form, and how many of them the provider had read before.
func (u usage) sum() string {
	n := u.tokens.In + u.tokens.Out
	if n == 0 {
		return u.tokens.String()
	}
	text := thousands(n) + " tokens"
	if u.tokens.Cached > 0 {
		text += " (" + thousands(u.tokens.Cached) + " cached)"
	}
	return text
}

func thousands(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}

// cost says at the end what the sessions cost. A sum in which something is missing is
// not shown as if it were the whole.
func (u usage) cost() string {
	switch known := (agent.Cost{USD: u.usd, Known: true}).String(); {
	case u.costKnown && u.costGap:
		return "at least " + known
	case u.costKnown || !u.costGap: // a command uses nothing that costs
		return known
	}
	return "cost unknown"
}
