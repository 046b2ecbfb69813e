package builtin

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// TestHowSessionsEnd: the result of each tool that ends a session, or its error for the model.
func TestHowSessionsEnd(t *testing.T) {
	for _, c := range []struct {
		role             agent.Role
		tool, args, want string // the status, its reason, question or answer; or after "!" a part of the error
	}{
		{agent.Executor, "finish", `{"status":"DONE","summary":"did it"}`, "done did it"},
		{agent.Executor, "finish", `{"status":"failed","reason":"no luck"}`, "failed no luck"},
		{agent.Executor, "finish", `{"status":"failed"}`, "failed the session says that it failed, and not why"},
		{agent.Executor, "finish", `{"status":"blocked","question":"Which?"}`, "blocked Which?"},
		{agent.Executor, "finish", `{"status":"blocked"}`, "!blocked needs a question"},
		{agent.Executor, "finish", `{"status":"great"}`, "!must be one of done, blocked, failed"},
		{agent.Planner, "finish", `{"status":"done"}`, "!give your answer with submit_plan"},
		{agent.Reviewer, "finish", `{"status":"done"}`, "!give your answer with submit_review"},
		{agent.Verifier, "finish", `{"status":"done"}`, "!give your answer with submit_answers"},
		{agent.Fixer, "finish", `{"status":"done","summary":"s","dispositions":"[{\"id\":\"f1\",\"disposition\":\"fixed\"}]"}`, "done s"},
		{agent.Fixer, "finish", `{"status":"done","dispositions":[{"id":"f1","disposition":"ignored"}]}`, "!the disposition of f1 must be"},
		{agent.Fixer, "finish", `{"status":"done","dispositions":[1]}`, "!must be an array of objects"},
		{agent.Fixer, "finish", `{"status":"done","dispositions":{}}`, "!must be an array"},
		{agent.Planner, "submit_plan", `{"content":"# A plan"}`, "done # A plan"},
		{agent.Planner, "submit_plan", `{"plan":" "}`, "!the plan is empty"},
		{agent.Reviewer, "submit_review", `{"nonce":"made up","covered":["a"],"findings":[]}`, `done {"covered":["a"],"findings":[],"nonce":"n"}`},
		{agent.Verifier, "submit_answers", `{"answers":[]}`, `done {"answers":[],"nonce":"n"}`},
		{agent.Verifier, "submit_review", `{"covered":[],"findings":[]}`, `!submit_review does not end your session: call submit_answers`},
		{agent.Reviewer, "submit_plan", `{}`, `!there is no tool "submit_plan"; there are read_file`},
	} {
		if got := ends(c.role, c.tool, c.args); got != c.want && !(c.want[0] == '!' && strings.HasPrefix(got, "!") && strings.Contains(got, c.want[1:])) {
			t.Errorf("%s %s %s\ngot  %s\nwant %s", c.role, c.tool, c.args, got, c.want)
		}
	}
}

// ends is the result of a session with a call.
func ends(role agent.Role, name, args string) string {
	tool, err := toolNamed(toolsOf(agent.Session{Role: role}), name)
	var v values
	if err == nil {
		v, err = tool.read(args)
	}
	var r agent.Result
	if err == nil {
		r, err = tool.End(agent.Session{Role: role, Nonce: "n"}, v)
	}
	if err != nil {
		return "!" + err.Error()
	}
	said := r.Answer
	for _, s := range []string{r.Reason, r.Question, r.Summary} {
		if said == "" {
			said = s
		}
	}
	return string(r.Status) + " " + said
}

// TestAskingAPerson: once, a few questions, without escape sequences.
func TestAskingAPerson(t *testing.T) {
	var asked []agent.Question
	answer := errors.New("nobody is there")
	asks := func(put func([]agent.Question) ([]string, error)) tool {
		tl, err := toolNamed(toolsOf(agent.Session{Role: agent.Planner, Ask: put}), "ask")
		if err != nil {
			t.Fatal(err)
		}
		return tl
	}
	tool := asks(func(q []agent.Question) ([]string, error) { asked = q; return []string{"yes"}, answer })
	call := func(args string) string {
		v, err := tool.read(args)
		if err == nil {
			var text string
			if text, err = tool.Run(t.Context(), tree(t, nil), v); err == nil {
				return text
			}
		}
		return err.Error()
	}
	for args, want := range map[string]string{
		`{"questions":[]}`:                "ask between 1 and 6",
		`{"questions":["Which?"]}`:        "must be an array of objects",
		`{"questions":[{"question":""}]}`: "ask between 1 and 6",
	} {
		if got := call(args); !strings.Contains(got, want) || asked != nil {
			t.Errorf("%s: %s", args, got)
		}
	}
	const one = `{"questions":[{"question":"Which\u001b one?","suggested":["this\n"]}]}`
	if got := call(one); got != "nobody is there" || asked[0].Text != "Which one?" || asked[0].Suggested[0] != "this" {
		t.Errorf("%s, %q", got, asked)
	}
	answer, tool = nil, asks(func([]agent.Question) ([]string, error) { return []string{"yes"}, nil })
	if got := call(one); got != "Which one?\n-> yes\n" {
		t.Error(got)
	}
}

// TestSchemas: what a model is told about a tool's arguments, and how a call is described.
func TestSchemas(t *testing.T) {
	tool, err := toolNamed(toolsOf(agent.Session{Role: agent.Executor}), "finish")
	if err != nil {
		t.Fatal(err)
	}
	s := schemaOf(tool.Args)
	status := s["properties"].(map[string]any)["status"].(map[string]any)
	if s["type"] != "object" || strings.Join(s["required"].([]string), " ") != "status" || len(status["enum"].([]string)) != 3 {
		t.Errorf("%v", s)
	}
	for _, role := range []agent.Role{agent.Planner, agent.Critic, agent.Executor, agent.Reviewer, agent.Verifier, agent.Fixer} {
		for _, tool := range toolsOf(agent.Session{Role: role, Ask: func([]agent.Question) ([]string, error) { return nil, nil }}) {
			described(t, tool.Name, schemaOf(tool.Args))
		}
	}
	v, err := tool.read(`{"status":"done","summary":"x"}`)
	if err != nil || v.summary(tool) != "done" || (values{}).summary(tool) != "" {
		t.Errorf("%v %v", v, err)
	}
}

// described reports each field of a schema, at any depth, without a description for the model.
func described(t *testing.T, at string, schema map[string]any) {
	t.Helper()
	fields := schema["properties"].(map[string]any)
	for _, name := range schema["required"].([]string) {
		if fields[name] == nil {
			t.Errorf("%s requires %s, which is not a field", at, name)
		}
	}
	for name, f := range fields {
		field := f.(map[string]any)
		if about, _ := field["description"].(string); about == "" {
			t.Errorf("%s.%s has no description", at, name)
		}
		if items, ok := field["items"].(map[string]any); ok && items["type"] == "object" {
			described(t, at+"."+name, items)
		}
	}
}
