package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

// What ends a last message decides, and nothing else in it does.
func TestTheLastMessageEndsASession(t *testing.T) {
	const done = `{"nonce": "n0nce", "status": "done", "summary": "did it"}`
	const review = `{"nonce": "n0nce", "covered": ["a.go"], "findings": [{"quote": "x := map[string]int{}"}]}`
	for _, c := range []struct {
		role   Role
		last   string
		want   Status
		reason string // or the answer
	}{
		{Executor, done, Done, ""},
		{Executor, "I did it.\n\n```json\n" + done + "\n```\n", Done, ""},
		{Executor, "I did it: " + done, Done, ""},
		{Executor, "{\n  \"nonce\": \"n0nce\",\n  \"status\": \"done\",\n  \"handoff\":\n  {\n    \"did\": \"{}\"\n  }\n}", Done, ""},
		{Executor, done + "\n" + strings.Replace(done, "done", "failed", 1), Failed, "did it"},

		{Executor, "", Failed, "its last message is empty"},
		{Executor, "All done, everything works!", Failed, "does not end with a JSON object"},
		{Executor, done + "\nAnything else?", Failed, "does not end with a JSON object"},
		{Executor, strings.TrimSuffix(done, "}"), Failed, "does not end with a JSON object"},
		{Executor, strings.Replace(done, "n0nce", "other", 1), Failed, "has another nonce"},
		{Executor, strings.Replace(done, `"nonce": "n0nce", `, "", 1), Failed, "has no nonce"},
		{Executor, strings.Replace(done, `"n0nce"`, `7`, 1), Failed, "is of no use"},
		{Executor, `{"nonce": "n0nce"}`, Failed, "has no status"},
		{Executor, `{"nonce": "n0nce", "status": "limited"}`, Failed, "status must be done, blocked or failed"},
		{Executor, `{"nonce": "n0nce", "status": "blocked"}`, Failed, "blocked needs a question"},
		{Executor, `{"wrapped": ` + done + `}`, Failed, "has no nonce"},

		{Planner, "```markdown\n# A plan\n\n```sh\nmake\n```\n```\n" + done, Done, "# A plan\n\n```sh\nmake\n```\n"},
		{Planner, "````markdown\n# A plan\n\n```sh\nmake\n```\n````\n" + done, Done, "# A plan\n\n```sh\nmake\n```\n"},
		{Planner, "# A plan\n\n```json\n" + done + "\n```", Done, "# A plan\n"},
		{Planner, done, Failed, "nothing before the JSON object"},
		{Planner, "# A plan\n", Failed, "does not end with a JSON object"},

		{Reviewer, "My review:\n" + review, Done, "My review:\n" + review},
		{Reviewer, review + "\n" + done, Done, review + "\n"},
		{Reviewer, `{"nonce": "n0nce", "status": "failed", "summary": "no diff"}`, Failed, "no diff"},
		{Verifier, strings.Replace(review, "n0nce", "other", 1), Failed, "another nonce"},
	} {
		got := closed(c.last, Session{Role: c.role, Nonce: "n0nce"})
		told := got.Reason
		if got.Status == Done {
			told = got.Answer
		}
		if got.Status != c.want || got.Status == Done && told != c.reason || !strings.Contains(told, c.reason) {
			t.Errorf("%s %q\ngot %s %q, want %s %q", c.role, c.last, got.Status, told, c.want, c.reason)
		}
	}
}

// A program that only repeats what it was told has not answered, in any role.
func TestAnEchoIsNoAnswer(t *testing.T) {
	for _, name := range CLINames() {
		c, err := NewCLI(CLI{AgentName: name})
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []Role{Planner, Executor, Reviewer, Verifier, Fixer} {
			s := session(t, role, "done")
			told := c.Told(s)
			if !strings.HasPrefix(told, s.Prompt.Text()) || !strings.Contains(told, `"nonce": "n0nce"`) {
				t.Errorf("%s %s is told\n%s", name, role, told)
			}
			form := told[:strings.LastIndexByte(told, '}')+1]
			for _, echo := range []string{told, form} {
				if got := closed(echo, s); got.Status != Failed {
					t.Errorf("%s: its prompt passes for an answer: %s %q", role, got.Status, got.Answer)
				}
			}
		}
	}
}

// FuzzClosing: whatever a last message is, looking for its object ends, and what
// is found is JSON that ends the message.
func FuzzClosing(f *testing.F) {
	for _, s := range []string{"", "}", "{}", "```json\n{\"nonce\": \"n\"}\n```", "{{{{}}}}", "a {\"nonce\":\"n\"} b {\"nonce\":\"n\"}", "{\"a\":\"\\\"}", "\x00\xff}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		object, before, err := closing(s, "n")
		if err == nil && (!json.Valid(object) || !strings.HasPrefix(strings.TrimSpace(s), before)) {
			t.Errorf("%q: %q after %q", s, object, before)
		}
	})
}
