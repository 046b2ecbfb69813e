package planner

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/work"
)

// A planner asks, again if an answer leads to a question; the person's answers are kept in the plan as
// decisions with ids, and are not interpreted as Markdown.
func TestAnswersAreKeptAsDecisions(t *testing.T) {
	dir := t.TempDir()
	for k, v := range map[string]string{"HOME": dir, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""} {
		t.Setenv(k, v)
	}
	t.Chdir(dir)
	pl := "# Serve\n\n## Steps\n\n- [ ] **One** {#one}\n  - Files: `a`\n  - Check: `test -s a`\n"
	question := `{"questions": [{"question": "Which port?", "suggested": ["80", "8080"]}]}`
	server, err := script.Serve(script.Script{Lanes: []script.Lane{{Role: agent.Planner, Turns: []script.Turn{
		{Calls: []script.Call{{Name: "ask", Args: []byte(question)}}},
		{Expect: "Which port\\?\\n-> 8080 .* \\(D1\\)", Calls: []script.Call{{Name: "ask", Args: []byte(question)}}},
		{Expect: "-> 8080 .* \\(D1\\)", Calls: []script.Call{{Name: "ask", Args: []byte(`{"questions": [{"question": "For whom?", "suggested": []}]}`)}}},
		{Expect: "no answer: decide", Calls: []script.Call{{Name: "submit_plan", Raw: `{"plan": ` + quoted(pl) + `}`}}},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, args := range [][]string{{"init", "-q"}, {"config", "plan.agent", "m"}, {"config", "planAgent.m.baseURL", server.URL()}, {"config", "planAgent.m.model", "m"}} {
		if exit, err := proc.Run(t.Context(), proc.Cmd{Name: "git", Args: args}); err != nil || !exit.OK() {
			t.Fatal(args, exit, err)
		}
	}
	c, err := checkout.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := work.New(&runner.Runner{Checkout: c})
	made, err := MakePlan(context.Background(), w, prompt.Planning{Goal: "serve", Ask: func(q []agent.Question) ([]string, error) {
		if q[0].Text == "For whom?" {
			return []string{""}, nil
		}
		return []string{"8080 `rm -rf /` <!-- [x]"}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	decisions := "## Decisions\n\n- D1: Which port? 8080 'rm -rf /' (!-- (x)\n\n"
	if want := strings.Replace(serving(pl), "## Goal", decisions+"## Goal", 1); string(made.Text) != want || made.Answers != 1 {
		t.Errorf("got %d answers and\n%s\nwant\n%s", made.Answers, made.Text, want)
	}
	if p, err := plan.Parse(made.Text); err != nil || len(p.EveryCommand()) != 1 {
		t.Error(p, err)
	}
}

// A plan that already has decisions gets no second section.
func TestDecisionsShareASection(t *testing.T) {
	text := "# Serve\n\n## Decisions\n\n- D1: Which store? files\n- D2: The port is 80, I think\n\n## Steps\n\n- [ ] **One** {#one}\n"
	if i := newInterview(nil, &plan.Plan{Source: []byte(text)}); i.last != 2 {
		t.Errorf("the next decision is numbered after %d", i.last)
	}
	got, err := withDecisions([]byte(text), []string{"- D2: Which port? 80\n"})
	if want := strings.Replace(text, "The port is 80, I think", "Which port? 80", 1); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s) + `"`
}
