package budget

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Spending counts what a plan has used: what its events report from before this process, and
// every session that this process ran or runs. Reviewers' sessions run side by side, so several
// may ask at once.
type Spending struct {
	mu      sync.Mutex
	begun   bool
	before  spent            // by sessions that events report
	earlier spent            // by sessions of an earlier process that no event reports
	held    map[string]spent // by session
	warned  map[string]bool  // the limits that a person was warned of
	not     unknown          // of the sessions of this process
	lacks   unknown          // of all those before
}

func (p *Spending) begin(c *settings.Config, events []journal.Event) {
	if p.begun {
		return
	}
	p.begun, p.held, p.warned = true, map[string]spent{}, map[string]bool{}
	for _, e := range events {
		u, not := spentIn(c, e)
		p.before, p.lacks = p.before.add(u), p.lacks.or(not)
	}
}

// Remember counts sessions of an earlier process that no event reports, as far as they reported
// what they used. Their time is in no event either.
func (p *Spending) Remember(c *settings.Config, held []journal.Held) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := journal.Event{Held: held}
	for _, h := range held {
		e.Tokens = e.Tokens.Add(h.Tokens)
	}
	u, _ := spentIn(c, e)
	p.earlier = p.earlier.add(u)
}

// record notes what a session has used so far, and returns what its plan has used.
func (p *Spending) record(session string, u spent) spent {
	p.held[session] = u
	plan := p.before.add(p.earlier)
	for _, u := range p.held {
		plan = plan.add(u)
	}
	return plan
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
		warnings, err := p.spend(c, s, limits, spent{t.In + t.Out, cost.USD, time.Since(began)}, unknownOf(who, t, cost))
		for _, text := range warnings {
			report(journal.Notice{Kind: journal.BudgetWarn, Step: s.Step, Session: s.ID, Text: text})
		}
		return err
	}, nil
}

// ReportLast reports, once, that a budget allows no session after this one, and why.
func (p *Spending) ReportLast(s agent.Session, why error, report func(journal.Notice)) {
	p.mu.Lock()
	warned := p.warned[s.Step+" "+why.Error()]
	p.warned[s.Step+" "+why.Error()] = true
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

// spend counts what a session has used so far against the limits. If nobody knows whether a limit
// is reached, it forbids to go on.
func (p *Spending) spend(c *checkout.Checkout, s agent.Session, limits []limit, now spent, u unknown) (warnings []string, err error) {
	var events []journal.Event
	if c.Doc != nil {
		events = c.Doc.Events
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(c.Config, events)
	plan := p.record(s.ID, now)
	p.not = p.not.or(u)
	for _, l := range limits {
		used, u := l.of.in(plan), p.not.or(p.lacks)
		switch {
		case used >= l.most:
			return warnings, fmt.Errorf("%s (%s) is used up", l.Key, l.value)
		case u.tokens != "" && l.of != ofTime:
			return warnings, fmt.Errorf("%s%sthe agent %s does not report how many tokens it uses", l.Key, cannotBeHeld, u.tokens)
		case u.cost != "" && l.of == ofCost:
			return warnings, fmt.Errorf("%s%sthe price of the model of %s is unknown; set planAgent.<name>.price", l.Key, cannotBeHeld, u.cost)
		case used >= warnAt*l.most && !p.warned[l.Key]:
			p.warned[l.Key] = true
			warnings = append(warnings, fmt.Sprintf("%d%% of %s (%s) is used", int(100*used/l.most), l.Key, l.value))
		}
	}
	return warnings, nil
}
