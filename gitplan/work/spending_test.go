package work

import (
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/world"
)

// attached is a world with a plan of one step, a, and settings.
func attached(t *testing.T, set ...string) *world.World {
	w := world.New(t)
	w.Set(set...)
	w.Attach("- [ ] Make a {#a}\n")
	return w
}

// Parallel sessions share a budget, and those of an earlier process count. At 80 % a person is warned, once;
// then the next model call is refused.
func TestOneBudgetForAllSessions(t *testing.T) {
	w := attached(t, "plan.maxTokens", "1000")
	site := w.Open()
	w.Happens(site, journal.Event{Kind: journal.Failed, Steps: []string{"a"}, Head: w.Head(), Attempt: 1, By: journal.ByAgent, Agent: "m", Tokens: agent.Tokens{In: 90, Out: 10}}, nil)
	var p Spending
	p.Remember(site.Checkout.Config, []journal.RoleUsage{{Agent: "m", Tokens: agent.Tokens{In: 100}}})
	one, other := agent.Session{ID: "one", Step: "a"}, agent.Session{ID: "other", Step: "b"}
	uses := func(s agent.Session, tokens int64) error {
		allowed, err := p.Of(site.Checkout, s, site.Report)
		w.Fine(err)
		return allowed("m", agent.Tokens{In: tokens}, agent.Cost{})
	}
	w.Fine(uses(one, 300), uses(other, 299), uses(other, 300), uses(one, 310))
	if said := w.Said(journal.BudgetWarn); said != "80% of plan.maxTokens (1000) is used" {
		t.Errorf("a person reads %q", said)
	}
	err := uses(one, 500)
	if err == nil || err.Error() != "plan.maxTokens (1000) is used up" {
		t.Errorf("a session over the budget: %v", err)
	}
	w.Refused(p.Allows(site.Checkout, "a"), fault.ErrBudget, "plan.maxTokens (1000) is used up")
	w.Fine(new(Spending).Allows(site.Checkout, "a")) // by events alone
}

// A limit that cannot be enforced stops the work.
func TestUnenforceableLimit(t *testing.T) {
	w := attached(t, "plan.maxCost", "5")
	site := w.Open()
	allowed, err := new(Spending).Of(site.Checkout, agent.Session{ID: "one", Step: "a"}, site.Report)
	w.Fine(err)
	err = allowed("m", agent.Tokens{In: 1}, agent.Cost{})
	if err == nil {
		t.Fatal("a model without a price may continue")
	}
	if !Unenforced(err.Error()) || Unenforced("plan.maxCost (5) is used up") {
		t.Errorf("it is unknown whether the limit is reached: %v", err)
	}
}

// Usage with an unknown price gets the price that is set now; a session that was cut short is not unknown.
func TestUsageOfAnEvent(t *testing.T) {
	w := attached(t, "planAgent.m.price", "1, 0, 10")
	tokens := agent.Tokens{In: 1_000_000, Out: 100_000}
	silent := agent.Tokens{Unreported: 1}
	for name, c := range map[string]struct {
		event journal.Event
		usd   float64
		not   used // the agents that are unknown
	}{
		"a price that was set later": {journal.Event{Agent: "m/x", Tokens: tokens}, 2, used{}},
		"its own price":              {journal.Event{Agent: "m", Tokens: tokens, Cost: agent.Cost{USD: 5, Known: true}}, 5, used{}},
		"no price":                   {journal.Event{Agent: "n", Tokens: tokens}, 0, used{unpriced: "n"}},
		"no usage":                   {journal.Event{Agent: "n", Tokens: silent}, 0, used{unreported: "n"}},
		"stopped":                    {journal.Event{Agent: "n", Tokens: silent, Stopped: true}, 0, used{}},
		"interrupted":                {journal.Event{Agent: "n", Tokens: silent, Reason: journal.Interrupted, Stopped: true}, 0, used{}},
		"several": {journal.Event{Tokens: tokens.Add(tokens), Usage: []journal.RoleUsage{{Agent: "m", Tokens: tokens}, {Agent: "n", Tokens: tokens}}},
			2, used{unpriced: "n"}},
	} {
		c.event.Took = time.Minute
		u := usedIn(w.Open().Checkout.Config, c.event)
		if u.usd != c.usd || u.unreported != c.not.unreported || u.unpriced != c.not.unpriced || u.tokens != c.event.Tokens.In+c.event.Tokens.Out || u.took != time.Minute {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

// Valid values of a budget; 0 is one.
func TestValuesOfABudget(t *testing.T) {
	w := attached(t)
	for value, want := range map[string]float64{"none": -1, "0": 0, "2.5": 2.5, "-1": -2, "many": -2, "NaN": -2} {
		w.Set("plan.maxCost", value)
		c := w.Open().Checkout.Config
		limits, err := limitsOf(&checkout.Checkout{Config: c})
		got := -1.0
		switch {
		case err != nil:
			got = -2
			w.Refused(err, fault.ErrAgentSetup, value)
		case len(limits) > 0:
			got = limits[0].most
		}
		if got != want {
			t.Errorf("%s is %v (-1 means none, -2 an error), want %v", value, got, want)
		}
	}
}
