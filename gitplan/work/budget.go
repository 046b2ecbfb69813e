package work

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Spending counts what the sessions of a plan use, for its budgets, before each model call.
type Spending struct {
	mu       sync.Mutex
	before   used            // as events report it, and by sessions of an earlier process that no event reports
	sessions map[string]used // of this process; nil until the events are counted
	warned   map[string]bool // of what a person was warned
}

type used struct {
	tokens               int64 // in and out
	usd                  float64
	took                 time.Duration
	unreported, unpriced string // the agents that do not report their tokens, or have no price: is a limit reached?
}

func (u used) add(o used) used {
	return used{u.tokens + o.tokens, u.usd + o.usd, u.took + o.took, cmp.Or(u.unreported, o.unreported),
		cmp.Or(u.unpriced, o.unpriced)}
}

func usedBy(who string, t agent.Tokens, c agent.Cost, took time.Duration) used {
	u := used{tokens: t.In + t.Out, usd: c.USD, took: took}
	if t.Unreported > 0 {
		u.unreported = who
	}
	if t.In > 0 && !c.Known {
		u.unpriced = who
	}
	return u
}

// usedIn returns what the sessions of an event used. Those without a price get the one that is set now.
func usedIn(c *settings.Config, e journal.Event) (u used) {
	sessions := e.Usage
	if len(sessions) == 0 {
		sessions = []journal.RoleUsage{{Agent: e.Agent, Tokens: e.Tokens, Cost: e.Cost}}
	}
	for _, s := range sessions {
		if !s.Cost.Known {
			name, _, _ := strings.Cut(s.Agent, "/")
			price, _ := c.Price(name) // a wrong one is reported where the agent is set up
			s.Cost = price.Of(s.Tokens)
		}
		u = u.add(usedBy(s.Agent, s.Tokens, s.Cost, 0))
	}
	u.tokens, u.took = e.Tokens.In+e.Tokens.Out, e.Took
	if e.Stopped { // a session that was cut short could not report it
		u.unreported, u.unpriced = "", ""
	}
	return u
}

// Remember counts sessions of an earlier process that no event reports.
func (p *Spending) Remember(c *settings.Config, sessions []journal.RoleUsage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := journal.Event{Usage: sessions, Stopped: true}
	for _, s := range sessions {
		e.Tokens = e.Tokens.Add(s.Tokens)
	}
	p.before = p.before.add(usedIn(c, e))
}

// Of returns what a session calls with its usage before each model call; the error is a limit that forbids it.
func (p *Spending) Of(c *checkout.Checkout, s agent.Session,
	report func(journal.Notice)) (func(who string, t agent.Tokens, c agent.Cost) error, error) {
	limits, err := limitsOf(c)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	return func(who string, t agent.Tokens, cost agent.Cost) error {
		warnings, err := p.spend(c, s.ID, limits, usedBy(who, t, cost, time.Since(began)))
		for _, text := range warnings {
			report(journal.Notice{Kind: journal.BudgetWarn, Step: s.Step, Session: s.ID, Text: text})
		}
		return err
	}, nil
}

// Allows returns ErrBudget if no session could begin for a step, or for the plan if that is "".
func (p *Spending) Allows(c *checkout.Checkout, step string) error {
	allowed, err := p.Of(c, agent.Session{Step: step}, func(journal.Notice) {})
	if err != nil {
		return err
	}
	if err := allowed("", agent.Tokens{}, agent.Cost{}); err != nil {
		return Overspent(step, err.Error())
	}
	return nil
}

// Overspent returns the fault of a budget that forbids another session, from its text, which begins with the key.
func Overspent(step, why string) *fault.Fault {
	key, _, _ := strings.Cut(why, " ")
	kind, next := fault.ErrBudget, "raise it: git config "+key+" VALUE"
	if key == ofBounds {
		kind, next, key = fault.ErrBounds, "", ""
	}
	if _, because, unheld := strings.Cut(why, unenforced); unheld {
		next = "see where it is named: git config --get-regexp '^plan[.].*agent$'; name one there that reports its tokens"
		if model, unpriced := strings.CutPrefix(because, ofPrice); unpriced {
			next = "git config " + visible.Shell("planAgent."+model[:strings.IndexAny(model, "/ ")]+".price") +
				" IN,CACHED,OUT,WRITTEN (USD per million tokens)"
		}
	}
	return &fault.Fault{Kind: kind, Step: step, Text: why, Setting: key, Next: next}
}

// Unpriced returns the fault that a limit of money is if the agent of one of these steps has no price; nil else.
func Unpriced(c *checkout.Checkout, steps ...plan.Step) *fault.Fault {
	limits, err := limitsOf(c)
	money := slices.IndexFunc(limits, func(l limit) bool { return l.what == "money" })
	if err != nil || money < 0 {
		return nil
	}
	for _, s := range steps {
		if name := cmp.Or(s.Agent, c.Config.AgentName(agent.Executor)); s.Run == "" && c.Config.Unpriced(name) {
			return Overspent("", limits[money].key+unenforced+ofPrice+name+" is unknown")
		}
	}
	return nil
}

// spend counts what a session has used so far against the limits; what is unknown forbids the call, too.
func (p *Spending) spend(c *checkout.Checkout, session string, limits []limit, now used) (warnings []string, err error) {
	const warnAt = 0.8 // of a budget
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions == nil {
		p.sessions, p.warned = map[string]used{}, map[string]bool{}
		if c.Doc != nil {
			for _, e := range c.Doc.Events {
				p.before = p.before.add(usedIn(c.Config, e))
			}
		}
	}
	p.sessions[session] = now
	all := p.all()
	for _, l := range limits {
		is := l.of(all)
		switch {
		case is >= l.most:
			return warnings, fmt.Errorf("%s (%s) is used up", l.key, l.value)
		case all.unreported != "" && l.what != "time":
			return warnings, fmt.Errorf("%s%sthe agent %s does not report how many tokens it uses", l.key, unenforced, all.unreported)
		case all.unpriced != "" && l.what == "money":
			return warnings, fmt.Errorf("%s%s%s%s is unknown", l.key, unenforced, ofPrice, all.unpriced)
		case is >= warnAt*l.most && !p.warned[l.key+l.what]:
			p.warned[l.key+l.what] = true
			warnings = append(warnings, fmt.Sprintf("%d%% of %s (%s) is used", int(100*is/l.most), l.key, l.value))
		}
	}
	return warnings, nil
}

func (p *Spending) all() used {
	all := p.before
	for _, s := range p.sessions {
		all = all.add(s)
	}
	return all
}

// leftUSD returns how much money the budgets leave for a session that they allow; 0 if none is of money.
func (p *Spending) leftUSD(c *checkout.Checkout) (usd float64) {
	limits, _ := limitsOf(c) // Of has reported what is wrong with them
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range limits {
		if left := l.most - p.all().usd; l.what == "money" && (usd == 0 || left < usd) {
			usd = left
		}
	}
	return usd
}

const maxTime = "plan.maxTime"

// limit is a budget: the most that may be used of something. 0 means zero.
type limit struct {
	what       string // tokens, money or time
	key, value string // as in the configuration
	most       float64
	of         func(used) float64
}

func limitsOf(co *checkout.Checkout) (out []limit, err error) {
	var bounds plan.Budget
	if co.Doc != nil && co.Doc.Plan.Bounds != nil {
		bounds = co.Doc.Plan.Bounds.Budget
	}
	for _, row := range []struct {
		limit
		bound float64
	}{
		{limit{what: "tokens", key: "plan.maxTokens", of: func(u used) float64 { return float64(u.tokens) }}, bounds.Tokens},
		{limit{what: "money", key: "plan.maxCost", of: func(u used) float64 { return u.usd }}, bounds.USD},
		{limit{what: "time", key: maxTime, of: func(u used) float64 { return u.took.Seconds() }}, bounds.Time.Seconds()},
	} {
		l := row.limit
		if l.most, err = ReadBudget(co.Config, l.key); err != nil {
			return nil, err
		}
		if l.value = co.Config.String(l.key); l.value != "none" {
			out = append(out, l)
		}
		if l.key, l.value, l.most = ofBounds, "the "+l.what+" of "+bounds.Text, row.bound; l.most > 0 {
			out = append(out, l)
		}
	}
	return out, nil
}

// ofBounds stands for the key of a limit that the plan's Bounds set.
const ofBounds = "Budget"

// ReadBudget returns the limit that a budget's key sets; 0 with none.
func ReadBudget(c *settings.Config, key string) (most float64, err error) {
	value := c.String(key)
	if value == "none" {
		return 0, nil
	}
	if key == maxTime {
		d, err := c.DurationOf(key, value)
		return d.Seconds(), err
	}
	if most, err = strconv.ParseFloat(value, 64); err != nil || !(most >= 0) {
		return 0, c.MustBe(key, value, "a number")
	}
	return most, nil
}

// unenforced follows the key of a limit if it is unknown whether it is reached, ofPrice that if only its price is.
const (
	unenforced = " cannot be enforced: "
	ofPrice    = "the price of the model of "
)

// Unenforced reports whether a session ended since it is unknown whether a limit is reached: raising that does not help.
func Unenforced(why string) bool { return strings.Contains(why, unenforced) }
