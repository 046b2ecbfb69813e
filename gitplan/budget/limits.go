package budget

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// limit is a budget: the most that may be used of something. 0 means zero.
type limit struct {
	key   string
	of    func(spent) float64
	value string // as it is written in the configuration
	most  float64
}

// The keys of budgets.
const (
	maxTokens = "plan.maxTokens"
	maxCost   = "plan.maxCost" // US dollars
	maxTime   = "plan.maxTime"
)

// budgets are all budgets that can be set.
var budgets = []limit{
	{key: maxTokens, of: func(s spent) float64 { return float64(s.tokens) }},
	{key: maxCost, of: func(s spent) float64 { return s.usd }},
	{key: maxTime, of: func(s spent) float64 { return s.took.Seconds() }},
}

// limitsOf returns the budgets that are set.
func limitsOf(c *settings.Config) ([]limit, error) {
	var out []limit
	for _, l := range budgets {
		l, set, err := limitOf(c, l)
		if err != nil {
			return nil, err
		}
		if set {
			out = append(out, l)
		}
	}
	return out, nil
}

// AreSet returns what is wrong with the budgets that are set, nil if nothing is.
func AreSet(c *settings.Config) error {
	_, err := limitsOf(c)
	return err
}

// limitOf reads a budget, if it is set.
func limitOf(c *settings.Config, l limit) (_ limit, set bool, err error) {
	if l.value = c.String(l.key); l.value == "none" {
		return l, false, nil
	}
	if l.key == maxTime {
		var d time.Duration
		d, err = c.DurationOf(l.key, l.value)
		l.most = d.Seconds()
	} else if l.most, err = strconv.ParseFloat(l.value, 64); err != nil || !(l.most >= 0) {
		err = c.MustBe(l.key, l.value, "a number")
	}
	return l, true, err
}

// Check returns what is wrong with the value that a budget's key has, nil if nothing is.
func Check(c *settings.Config, key string) error {
	for _, l := range budgets {
		if l.key == key {
			_, _, err := limitOf(c, l)
			return err
		}
	}
	return fault.New(fault.ErrAgentSetup, "%s is not the key of a budget", key)
}

// cannotBeHeld follows the key of a limit if it is unknown whether it is reached.
const cannotBeHeld = " cannot be enforced: "

// Unheld returns the key of a limit that is still set and could not be kept to, if something
// ended for that reason.
func Unheld(c *settings.Config, why string) (key string, ok bool) {
	key, _, ok = strings.Cut(why, cannotBeHeld)
	for _, l := range budgets {
		if ok && l.key == key {
			_, set, err := limitOf(c, l)
			return key, set && err == nil
		}
	}
	return "", false
}

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
	held := e.Usage
	if len(held) == 0 {
		held = []journal.RoleUsage{{Agent: e.Agent, Tokens: e.Tokens, Cost: e.Cost}}
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
