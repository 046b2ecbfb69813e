package work

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// If an agent is rate-limited, the fallback of its role continues its work in the same attempt; the agent is
// then not used for a while.
func TestFallbackContinues(t *testing.T) {
	s := newShop(t, `echo m >>a.txt; echo '{"tokens":{"in":5,"out":1}}' >"$GIT_PLAN_RESULT"; exit 75`)
	s.Agent("other", `cat >"$HOME/told$GIT_PLAN_ATTEMPT"; echo other >>a.txt; echo '{"tokens":{"in":20,"out":2}}' >"$GIT_PLAN_RESULT"`)
	s.Set("plan.executor.fallback", "other")
	s = reopened(s.World)
	out := s.works(s.step("test $(wc -l <a.txt) = 3"))
	s.ended(out, agent.Done, "")
	if got := s.Git("show", "HEAD:a.txt"); got != "m\nother\nother" || out.Attempts != 2 {
		t.Errorf("after %d attempts a.txt is %q", out.Attempts, got)
	}
	var who []string
	for _, n := range s.Saw {
		if n.Kind == journal.SessionStart {
			who = append(who, n.Agent)
		}
	}
	if strings.Join(who, " ") != "m other other" {
		t.Errorf("sessions were held by %q", who)
	}
	failed := s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-3] // events before started and checked
	if failed.Agent != "other" || failed.Tokens != (agent.Tokens{In: 25, Out: 3}) {
		t.Errorf("reported for the first attempt: %+v", failed)
	}
	if notices := s.Heard(1); !strings.Contains(notices, prompt.Resumed) {
		t.Errorf("it was sent %q", notices)
	}
}

// If the fallback fails too, its result counts. Other results are the first agent's own.
func TestFallbackIsForRateLimitsOnly(t *testing.T) {
	s := newShop(t, "exit 75")
	s.Agent("other", "exit 75")
	s.Set("plan.executor.fallback", "other")
	s = reopened(s.World)
	s.ended(s.works(s.step()), agent.Limited, "the command asks to retry later")
	s.Set("planAgent.m.command", "exit 1")
	s = reopened(s.World)
	s.Saw = nil
	s.ended(s.works(s.step()), agent.Failed, "exit code 1")
	if n := s.Count(journal.SessionStart); n != 3 {
		t.Errorf("%d sessions were held", n)
	}
}

// A fallback that cannot be set up is reported before any session needs it.
func TestMissingFallback(t *testing.T) {
	s := newShop(t, "true")
	s.Set("plan.fixer.fallback", "nobody")
	s = reopened(s.World)
	s.Refused(s.SetLimits(&agent.Session{}, agent.Fixer), fault.ErrAgentSetup, "nobody")
	if r := s.RunSession(t.Context(), s.Runner, s.step().Agent, agent.Session{Role: agent.Fixer}); r.Status != agent.Unusable {
		t.Errorf("a session ends %+v", r)
	}
}

// A budget of money holds for an agent and its fallback together: an unknown price of either leaves the sum unknown.
func TestCostOfAnAgentAndItsFallback(t *testing.T) {
	used, none := agent.Tokens{In: 10}, agent.Tokens{}
	known, unknown := agent.Cost{USD: 1, Known: true}, agent.Cost{}
	for _, c := range []struct {
		first      agent.Result
		t          agent.Tokens
		cost, want agent.Cost
	}{
		{agent.Result{Tokens: used, Cost: known}, used, known, agent.Cost{USD: 2, Known: true}},
		{agent.Result{Tokens: none, Cost: unknown}, used, known, known},
		{agent.Result{Tokens: none, Cost: agent.Cost{Known: true}}, used, unknown, agent.Cost{}},
		{agent.Result{Tokens: used, Cost: unknown}, used, known, agent.Cost{USD: 1}},
	} {
		if _, got := together(c.first, c.t, c.cost); got != c.want {
			t.Errorf("%+v, then %+v %+v: %+v", c.first, c.t, c.cost, got)
		}
	}
}
