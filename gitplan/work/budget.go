package work

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/site"
)

// limit is a budget: the most that may be used of something. 0 means zero.
type limit struct {
	Key   string // of the configuration
	value string // as it is written there
	of    quantity
	step  bool // it holds for each step, not for the plan
	most  float64
}

// quantity is what can be limited.
type quantity int

const (
	ofTokens quantity = iota
	ofCost            // US dollars
	ofTime            // seconds
)

func (q quantity) in(s spent) float64 {
	switch q {
	case ofTokens:
		return float64(s.tokens)
	case ofCost:
		return s.usd
	}
	return s.took.Seconds()
}

// budgets are all budgets that can be set.
var budgets = []limit{
	{Key: "plan.maxTokens", of: ofTokens}, {Key: "plan.maxCost", of: ofCost}, {Key: "plan.maxTime", of: ofTime},
	{Key: "plan.maxStepTokens", of: ofTokens, step: true}, {Key: "plan.maxStepCost", of: ofCost, step: true}, {Key: "plan.maxStepTime", of: ofTime, step: true},
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

// limitOf reads a budget, if it is set.
func limitOf(c *settings.Config, l limit) (_ limit, set bool, err error) {
	if l.value = c.String(l.Key); l.value == "none" {
		return l, false, nil
	}
	if l.of == ofTime {
		var d time.Duration
		d, err = c.DurationOf(l.Key, l.value)
		l.most = d.Seconds()
	} else if l.most, err = strconv.ParseFloat(l.value, 64); err != nil || !(l.most >= 0) {
		err = c.MustBe(l.Key, l.value, "a number")
	}
	return l, true, err
}

func (s *spending) begin(c *settings.Config, events []journal.Event) {
	if s.before != nil {
		return
	}
	s.before, s.held, s.steps, s.warned = map[string]spent{}, map[string]spent{}, map[string]string{}, map[string]bool{}
	for _, e := range events {
		u, not := spentIn(c, e)
		s.before[""], s.lacks = s.before[""].add(u), s.lacks.or(not)
		if id := e.Step(); id != "" {
			s.before[id], s.atStep = s.before[id].add(u), s.atStep.or(not)
		}
	}
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

// remember counts sessions of an earlier process that no event reports, as far as they reported
// what they used. Their time is in no event either.
func (s *spending) remember(c *settings.Config, held []journal.Held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := journal.Event{Held: held}
	for _, h := range held {
		e.Tokens = e.Tokens.Add(h.Tokens)
	}
	u, _ := spentIn(c, e)
	s.earlier = s.earlier.add(u)
}

// record notes what a session has used so far, and returns what its plan and its step have used.
func (s *spending) record(session, step string, u spent) (plan, ofStep spent) {
	s.held[session], s.steps[session] = u, step
	plan, ofStep = s.before[""].add(s.earlier), s.before[step]
	for id, u := range s.held {
		plan = plan.add(u)
		if s.steps[id] == step {
			ofStep = ofStep.add(u)
		}
	}
	return plan, ofStep
}

// warnAt is the share of a budget at which a person is warned.
const warnAt = 0.8

// budget returns the function that a session calls before each model call, with what it has used
// so far. That returns which limit forbids another call; nil if none does.
func (w *Worker) budget(s agent.Session) (func(string, agent.Tokens, agent.Cost) error, error) {
	limits, err := limitsOf(w.Config)
	if err != nil || len(limits) == 0 {
		return nil, err
	}
	began := time.Now()
	return func(who string, t agent.Tokens, c agent.Cost) error {
		warnings, err := w.spend(s, limits, spent{t.In + t.Out, c.USD, time.Since(began)}, unknownOf(who, t, c))
		for _, text := range warnings {
			w.Report(journal.Notice{Kind: journal.BudgetWarn, Step: s.Step, Session: s.ID, Text: text})
		}
		return err
	}, nil
}

// reportSpent reports, once, that a budget allows no session after this one, and why.
func (w *Worker) reportSpent(s agent.Session, why error) {
	w.common().spending.mu.Lock()
	warned := w.common().spending.warned[s.Step+" "+why.Error()]
	w.common().spending.warned[s.Step+" "+why.Error()] = true
	w.common().spending.mu.Unlock()
	if !warned {
		w.Report(journal.Notice{Kind: journal.BudgetWarn, Step: s.Step, Session: s.ID, Text: why.Error()})
	}
}

// SpentOn returns ErrBudget if no session could begin for a step, or for the whole plan if the
// step is "".
func SpentOn(c *checkout.Checkout, step string) error {
	return (&Worker{Site: &site.Site{Checkout: c}}).affordable(Task{Role: agent.Executor, Name: step})
}

// Overspent is the fault of a budget that forbids another session; the text that spend returns
// about it begins with its key.
func Overspent(step, why string) error {
	key, _, _ := strings.Cut(why, " ")
	return &fault.Fault{Kind: fault.ErrBudget, Step: step, Text: why, Setting: key}
}

// affordable returns ErrBudget if a task could not even begin.
func (w *Worker) affordable(t Task) error {
	s := agent.Session{}
	if t.Role == agent.Executor {
		s.Step = t.Name
	}
	allowed, err := w.budget(s)
	if err == nil && allowed != nil {
		if err := allowed("", agent.Tokens{}, agent.Cost{}); err != nil {
			return Overspent(s.Step, err.Error())
		}
	}
	return err
}

// CheckBudget returns what is wrong with the value that a budget's key has, nil if nothing is.
func CheckBudget(c *settings.Config, key string) error {
	for _, l := range budgets {
		if l.Key == key {
			_, _, err := limitOf(c, l)
			return err
		}
	}
	return fault.New(fault.ErrAgentSetup, "%s is the key of no budget", key)
}

// cannotBeHeld follows the key of a limit if nobody knows whether it is reached.
const cannotBeHeld = " cannot be enforced: "

// Unheld returns the key of a limit that is still set and could not be kept to, if something
// ended for that reason.
func Unheld(c *settings.Config, why string) (key string, ok bool) {
	key, _, ok = strings.Cut(why, cannotBeHeld)
	for _, l := range budgets {
		if ok && l.Key == key {
			_, set, err := limitOf(c, l)
			return key, set && err == nil
		}
	}
	return "", false
}

// spend counts what a session has used so far against the limits. If nobody knows whether a limit
// is reached, it forbids to go on.
func (w *Worker) spend(s agent.Session, limits []limit, now spent, u unknown) (warnings []string, err error) {
	var events []journal.Event
	if w.Doc != nil {
		events = w.Doc.Events
	}
	w.common().spending.mu.Lock()
	defer w.common().spending.mu.Unlock()
	w.common().spending.begin(w.Config, events)
	plan, step := w.common().spending.record(s.ID, s.Step, now)
	w.common().spending.not = w.common().spending.not.or(u)
	for _, l := range limits {
		used, name, u := l.of.in(plan), l.Key, w.common().spending.not.or(w.common().spending.lacks)
		if l.step {
			used, name, u = l.of.in(step), l.Key+" "+s.Step, w.common().spending.not.or(w.common().spending.atStep)
		}
		switch {
		case l.step && s.Step == "":
		case used >= l.most:
			return warnings, fmt.Errorf("%s (%s) is used up", l.Key, l.value)
		case u.tokens != "" && l.of != ofTime:
			return warnings, fmt.Errorf("%s%sthe agent %s does not report how many tokens it uses", l.Key, cannotBeHeld, u.tokens)
		case u.cost != "" && l.of == ofCost:
			return warnings, fmt.Errorf("%s%sthe price of the model of %s is unknown; set planAgent.<name>.price", l.Key, cannotBeHeld, u.cost)
		case used >= warnAt*l.most && !w.common().spending.warned[name]:
			w.common().spending.warned[name] = true
			warnings = append(warnings, fmt.Sprintf("%d%% of %s (%s) is used", int(100*used/l.most), l.Key, l.value))
		}
	}
	return warnings, nil
}
