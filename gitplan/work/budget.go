package work

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Budgets are what the sessions of a plan may use: tokens, money and time. A session asks before each
// model call. A limit of which it is unknown whether it is reached, since an agent does not report
// what it uses, or its model has no price, forbids the call, too.

// Spending counts what a plan has used: what its events report from before this process, and
// every session that this process ran or runs. Reviewers' sessions run side by side, so several
// may ask at once.
type Spending struct {
	mu      sync.Mutex
	begun   bool
	before  spent            // as events report it, and by sessions of an earlier process that no event reports
	held    map[string]spent // by session
	unknown unknown          // of all sessions
	warned  map[string]bool  // of what a person was warned
}

// begin counts what events report, once.
func (p *Spending) begin(c *settings.Config, events []journal.Event) {
	if p.begun {
		return
	}
	p.begun, p.held, p.warned = true, map[string]spent{}, map[string]bool{}
	for _, e := range events {
		u, not := spentIn(c, e)
		p.before, p.unknown = p.before.add(u), p.unknown.or(not)
	}
}

// Remember counts sessions of an earlier process that no event reports, as far as they reported
// what they used. Their time is in no event either.
func (p *Spending) Remember(c *settings.Config, held []journal.RoleUsage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := journal.Event{Usage: held}
	for _, h := range held {
		e.Tokens = e.Tokens.Add(h.Tokens)
	}
	u, _ := spentIn(c, e)
	p.before = p.before.add(u)
}

// warnAt is the share of a budget at which a person is warned.
const warnAt = 0.8

// Of returns the function that a session calls before each model call, with what it has used
// so far. That returns which limit forbids another call; nil if none does. There is no function
// if no budget is set.
func (p *Spending) Of(c *checkout.Checkout, s agent.Session, report func(journal.Notice)) (func(who string, t agent.Tokens, c agent.Cost) error, error) {
	limits, err := limitsOf(c.Config)
	if err != nil || len(limits) == 0 {
		return nil, err
	}
	began := time.Now()
	return func(who string, t agent.Tokens, cost agent.Cost) error {
		warnings, err := p.spend(c, s.ID, limits, spent{t.In + t.Out, cost.USD, time.Since(began)}, unknownOf(who, t, cost))
		for _, text := range warnings {
			report(journal.Notice{Kind: journal.BudgetWarn, Step: s.Step, Session: s.ID, Text: text})
		}
		return err
	}, nil
}

// ReportLast reports, once, that a budget allows no session after this one, and why.
func (p *Spending) ReportLast(s agent.Session, why error, report func(journal.Notice)) {
	p.mu.Lock()
	warned := p.warned[why.Error()]
	p.warned[why.Error()] = true
	p.mu.Unlock()
	if !warned {
		report(journal.Notice{Kind: journal.BudgetWarn, Step: s.Step, Session: s.ID, Text: why.Error()})
	}
}

// SpentOn returns ErrBudget if no session could begin for a step, or for the whole plan if the
// step is "".
func SpentOn(c *checkout.Checkout, step string) error { return new(Spending).Allows(c, step) }

// Allows returns ErrBudget if a session for a step, or for the plan if that is "", could not even
// begin.
func (p *Spending) Allows(c *checkout.Checkout, step string) error {
	allowed, err := p.Of(c, agent.Session{Step: step}, func(journal.Notice) {})
	if err == nil && allowed != nil {
		if err := allowed("", agent.Tokens{}, agent.Cost{}); err != nil {
			return Overspent(step, err.Error())
		}
	}
	return err
}

// Overspent is the fault of a budget that forbids another session; the text that a session hears
// of it begins with its key.
func Overspent(step, why string) error {
	key, _, _ := strings.Cut(why, " ")
	return &fault.Fault{Kind: fault.ErrBudget, Step: step, Text: why, Setting: key}
}

// spend counts what a session has used so far against the limits. If usage is unknown, it refuses to
// continue.
func (p *Spending) spend(c *checkout.Checkout, session string, limits []limit, now spent, u unknown) (warnings []string, err error) {
	var events []journal.Event
	if c.Doc != nil {
		events = c.Doc.Events
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(c.Config, events)
	p.held[session], p.unknown = now, p.unknown.or(u)
	all := p.before
	for _, s := range p.held {
		all = all.add(s)
	}
	for _, l := range limits {
		used := l.of(all)
		switch {
		case used >= l.most:
			return warnings, fmt.Errorf("%s (%s) is used up", l.key, l.value)
		case p.unknown.tokens != "" && l.key != maxTime:
			return warnings, fmt.Errorf("%s%sthe agent %s does not report how many tokens it uses", l.key, cannotBeHeld, p.unknown.tokens)
		case p.unknown.cost != "" && l.key == maxCost:
			return warnings, fmt.Errorf("%s%sthe price of the model of %s is unknown; set planAgent.<name>.price", l.key, cannotBeHeld, p.unknown.cost)
		case used >= warnAt*l.most && !p.warned[l.key]:
			p.warned[l.key] = true
			warnings = append(warnings, fmt.Sprintf("%d%% of %s (%s) is used", int(100*used/l.most), l.key, l.value))
		}
	}
	return warnings, nil
}

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

// BudgetsAreSet returns what is wrong with the budgets that are set, nil if nothing is.
func BudgetsAreSet(c *settings.Config) error {
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

// CheckBudget returns what is wrong with the value that a budget's key has, nil if nothing is.
func CheckBudget(c *settings.Config, key string) error {
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

// UnheldBudget returns the key of a limit that is still set and could not be kept to, if something
// ended for that reason.
func UnheldBudget(c *settings.Config, why string) (key string, ok bool) {
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
