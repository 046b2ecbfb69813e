package work

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
)

const uses = `; echo '{"tokens":{"in":900,"out":100}}' >"$GIT_PLAN_RESULT"`

// A budget covers all sessions of a plan, of this process and of earlier ones: once it is used up no session
// begins, and the error names the key. A person is warned at 80 %, once.
func TestBudgetOfThePlan(t *testing.T) {
	s := newShop(t, "echo a >>a.txt"+uses)
	s.Set("plan.maxTokens", "2400")
	s = reopened(s.World)
	out := s.works(s.step("false"))
	s.ended(out, agent.Failed, "`false`")
	if out.Attempts != 3 || s.Said(journal.BudgetWarn) != "83% of plan.maxTokens (2400) is used" {
		t.Errorf("after %d attempts it warned of\n%s", out.Attempts, s.Said(journal.BudgetWarn))
	}
	s = reopened(s.World)
	_, err := s.worksUntil(t.Context(), s.step("false"))
	s.Refused(err, fault.ErrBudget, "plan.maxTokens (2400) is used up")
	s.Refused(new(Spending).Allows(s.Runner.Checkout, "a"), fault.ErrBudget, "")
	if got := err.(*fault.Fault).Setting; got != "plan.maxTokens" {
		t.Errorf("the key is %s", got)
	}
}

// A session is ended before a model call that the budget does not allow, which does not count as a failure of
// its work: that is kept.
func TestSessionIsEndedWithinABudget(t *testing.T) {
	s := newShop(t, "")
	call := func(name, args string) script.Turn {
		return script.Turn{Calls: []script.Call{{Name: name, Args: []byte(args)}}, Usage: &script.Usage{In: 900, Out: 100}}
	}
	server, err := script.Serve(script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: []script.Turn{
		call("write_file", `{"path": "a.txt", "content": "a\n"}`), call("finish", `{"status": "done", "summary": "did it"}`),
	}}}})
	s.Fine(err)
	defer server.Close()
	s.Set("plan.executor.agent", "http", "planAgent.http.baseURL", server.URL(), "planAgent.http.model", "x", "plan.maxTokens", "1000")
	s = reopened(s.World)
	task := s.step("true")
	task.Prompt = rolePrompt
	out := s.works(task)
	s.ended(out, agent.Stopped, "plan.maxTokens (1000) is used up")
	last := s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1]
	if s.Git("show", out.Kept+":a.txt") != "a" || !last.Stopped || last.Tokens.In != 900 {
		t.Errorf("kept as %q, with %+v", out.Kept, last)
	}
}

// A limit that cannot be measured stops the work, unless it is a time limit.
func TestUnmeasurableBudget(t *testing.T) {
	for key, c := range map[string]struct{ script, why, next string }{
		"plan.maxTokens": {"echo a >>a.txt", "plan.maxTokens cannot be enforced: the agent m does not report how many tokens it uses", "see where it is named: git config --get-regexp '^plan[.].*agent$'; name one there that reports its tokens"},
		"plan.maxCost":   {"echo a >>a.txt" + uses, "plan.maxCost cannot be enforced: the price of the model of m is unknown", "git config planAgent.m.price IN,CACHED,OUT,WRITTEN (USD per million tokens)"},
		"plan.maxTime":   {script: "echo a >>a.txt"},
	} {
		s := newShop(t, c.script)
		s.Set(key, map[bool]string{true: "1h", false: "100000"}[c.why == ""])
		s = reopened(s.World)
		task := s.step("test $(wc -l <a.txt) = 2")
		out := s.works(task)
		if c.why == "" {
			s.ended(out, agent.Done, "")
			continue
		}
		s.ended(out, agent.Stopped, c.why)
		s = reopened(s.World)
		_, err := s.worksUntil(t.Context(), task)
		s.Refused(err, fault.ErrBudget, key)
		if f := (*fault.Fault)(nil); !errors.As(err, &f) || f.Next != c.next {
			t.Errorf("what comes next: %+v, want %s", f, c.next)
		}
	}
}

// The same where the Bounds limit money.
func TestUnpricedBounds(t *testing.T) {
	f := (*fault.Fault)(nil)
	errors.As(Overspent("", ofBounds+unenforced+ofPrice+"m is unknown"), &f)
	const want = "git config planAgent.m.price IN,CACHED,OUT,WRITTEN (USD per million tokens)"
	if !errors.Is(f, fault.ErrBounds) || f.Next != want {
		t.Errorf("it is %v, and next %s", f, f.Next)
	}
}

// An invalid budget refuses a task before its session; a budget of zero allows no session.
func TestBudgetOfZero(t *testing.T) {
	s := newShop(t, "true")
	s.Set("plan.maxCost", "many")
	s.Refused(reopened(s.World).SetLimits(&agent.Session{}, agent.Executor), fault.ErrAgentSetup, "plan.maxCost")
	s.Set("plan.maxCost", "none", "plan.maxTime", "0s")
	s = reopened(s.World)
	_, err := s.worksUntil(t.Context(), s.step())
	s.Refused(err, fault.ErrBudget, "plan.maxTime (0s) is used up")
	if strings.Contains(s.happened(), "started") {
		t.Error("a session began")
	}
}
