package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// The end of the last message decides, and nothing else in it.
func TestLastMessageEndsASession(t *testing.T) {
	const done = `{"nonce": "n0nce", "status": "done", "summary": "did it"}`
	const review = `{"nonce": "n0nce", "covered": ["a.go"], "findings": [{"quote": "x := map[string]int{}"}]}`
	for _, c := range []struct {
		role   agent.Role
		last   string
		want   agent.Status
		reason string // or the answer
	}{
		{agent.Executor, done, agent.Done, ""},
		{agent.Executor, "I did it.\n\n```json\n" + done + "\n```\n", agent.Done, ""},
		{agent.Executor, "I did it: " + done, agent.Done, ""},
		{agent.Executor, "{\n  \"nonce\": \"n0nce\",\n  \"status\": \"done\",\n  \"handoff\":\n  {\n    \"did\": \"{}\"\n  }\n}", agent.Done, ""},
		{agent.Executor, done + "\n" + strings.Replace(done, "done", "failed", 1), agent.Failed, "did it"},

		{agent.Executor, "", agent.Failed, "its last message is empty"},
		{agent.Executor, "All done, everything works!", agent.Failed, "does not end with a JSON object"},
		{agent.Executor, done + "\nAnything else?", agent.Failed, "does not end with a JSON object"},
		{agent.Executor, strings.TrimSuffix(done, "}"), agent.Failed, "does not end with a JSON object"},
		{agent.Executor, strings.Replace(done, "n0nce", "other", 1), agent.Failed, "has another nonce"},
		{agent.Executor, strings.Replace(done, `"nonce": "n0nce", `, "", 1), agent.Failed, "has no nonce"},
		{agent.Executor, strings.Replace(done, `"n0nce"`, `7`, 1), agent.Failed, "cannot be used"},
		{agent.Executor, `{"nonce": "n0nce"}`, agent.Failed, "has no status"},
		{agent.Executor, `{"nonce": "n0nce", "status": "limited"}`, agent.Failed, "status must be done, blocked or failed"},
		{agent.Executor, `{"nonce": "n0nce", "status": "blocked"}`, agent.Failed, "blocked needs a question"},
		{agent.Executor, `{"wrapped": ` + done + `}`, agent.Failed, "has no nonce"},

		{agent.Planner, "```markdown\n# A plan\n\n```sh\nmake\n```\n```\n" + done, agent.Done, "# A plan\n\n```sh\nmake\n```\n"},
		{agent.Planner, "````markdown\n# A plan\n\n```sh\nmake\n```\n````\n" + done, agent.Done, "# A plan\n\n```sh\nmake\n```\n"},
		{agent.Planner, "# A plan\n\n```json\n" + done + "\n```", agent.Done, "# A plan\n"},
		{agent.Planner, done, agent.Failed, "nothing before the JSON object"},
		{agent.Planner, "# A plan\n", agent.Failed, "does not end with a JSON object"},
		{agent.Planner, "```markdown\n# A plan\n\n## Steps\n\n- [ ] Do it\n```\n", agent.Done, "# A plan\n\n## Steps\n\n- [ ] Do it\n"},
		{agent.Executor, "Done:\n```json\n{\"nonce\": \"n0nce\", \"status\": \"DONE\", \"drift\": \"none\",}\n```", agent.Done, ""},

		{agent.Reviewer, "My review:\n" + review, agent.Done, "My review:\n" + review},
		{agent.Reviewer, review + "\n" + done, agent.Done, review + "\n"},
		{agent.Reviewer, strings.Replace(review, "{", `{"status": "done", `, 1), agent.Done, strings.Replace(review, "{", `{"status": "done", `, 1)},
		{agent.Reviewer, "Mine:\n" + strings.Replace(review, "{", `{"status": "reviewed", `, 1), agent.Done, "Mine:\n" + strings.Replace(review, "{", `{"status": "reviewed", `, 1)},
		{agent.Reviewer, review + "\n" + strings.Replace(done, "done", "reviewed", 1), agent.Failed, "status must be done, blocked or failed"},
		{agent.Reviewer, `{"nonce": "n0nce", "status": "failed", "summary": "no diff"}`, agent.Failed, "no diff"},
		{agent.Verifier, strings.Replace(review, "n0nce", "other", 1), agent.Failed, "another nonce"},
	} {
		got := lastMessage(c.last, agent.Session{Role: c.role, Nonce: "n0nce"})
		reported := got.Reason
		if got.Status == agent.Done {
			reported = got.Answer
		}
		if got.Status != c.want || got.Status == agent.Done && reported != c.reason || !strings.Contains(reported, c.reason) {
			t.Errorf("%s %q\ngot %s %q, want %s %q", c.role, c.last, got.Status, reported, c.want, c.reason)
		}
	}
}

// A program that prints its prompt, or only the form, has not answered; a command is asked for a file if its
// standard output is not the answer.
func TestPromptIsNotAnAnswer(t *testing.T) {
	for _, role := range []agent.Role{agent.Planner, agent.Critic, agent.Executor, agent.Reviewer, agent.Verifier, agent.Fixer} {
		s := agent.Session{Role: role, Nonce: "n0nce", Ask: func([]agent.Question) ([]string, error) { return nil, nil }}
		asked := howToEnd(s)
		for _, echo := range []string{asked, asked[:strings.LastIndexByte(asked, '}')+1]} {
			if got := lastMessage(echo, s); got.Status != agent.Failed || ends(echo, "other") {
				t.Errorf("%s: what it was asked passes for an answer: %s %q", role, got.Status, got.Answer)
			}
		}
		prints := role == agent.Critic || role == agent.Reviewer || role == agent.Verifier
		if how := howCommandEnds(s); strings.Contains(how, "GIT_PLAN_RESULT") == prints || strings.Contains(how, "n0nce") != prints {
			t.Errorf("a command is asked as %s:\n%s", role, how)
		}
	}
}

// A result file may have some of the fields; a missing file has none.
func TestResultFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	if said, err := readOutcome(file); err != nil || said.Result().Status != agent.Done {
		t.Errorf("no file: %v, %v", said, err)
	}
	for text, want := range map[string]agent.Status{
		"": agent.Done, "{}": agent.Done, `{"status": "failed"}`: agent.Failed, `{"status": "blocked", "question": "Which?"}`: agent.Blocked,
		`{"status": "blocked", "questions": [{"question": "Which?"}]}`: agent.Blocked,
		`{"status": "great"}`: "", "[1]": "", "not json": "", strings.Repeat(" ", maxObject+1): "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := readOutcome(file)
		if r := said.Result(); (err != nil) != (want == "") || err == nil && (r.Status != want || want == agent.Blocked && r.Question != "Which?") {
			t.Errorf("%.60q: %s %q, %v", text, r.Status, r.Question, err)
		}
	}
	if _, err := readOutcome(filepath.Dir(file)); err == nil {
		t.Error("a folder was read")
	}
}

// FuzzClosing: the search for the object in any last message ends, and what it finds is JSON that ends the
// message.
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
