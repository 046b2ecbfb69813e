package work

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

func call(name, args string) script.Turn {
	return script.Turn{Calls: []script.Call{{Name: name, Args: json.RawMessage(args)}}}
}

// A result that a check refuses to the end fails with a reason of one line. What the guard found and the check's output are below it,
// in lines, as it is if the check fails after a session.
func TestRefusedResult(t *testing.T) {
	s := newShop(t, "true")
	done := call("finish", `{"status": "done"}`)
	server, err := script.Serve(script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: []script.Turn{
		call("write_file", `{"path": "a.txt", "content": "one\n"}`), done, done, done, done,
	}}}})
	s.Fine(err)
	defer server.Close()
	s.Set("plan.executor.agent", "http", "planAgent.http.baseURL", server.URL(), "planAgent.http.model", "x")
	s = reopened(s.World)
	task := s.step("printf 'one\\ntwo\\nError: it is one\\n'; exit 1")
	task.Attempts, task.Prompt = 1, rolePrompt
	task.Guard = func(context.Context, workspace.Changeset) (workspace.Guarded, error) {
		return workspace.Guarded{Failing: []string{"guarded"}, Reported: []string{"drifts"}}, nil
	}
	out := s.works(task)
	first, said, _ := strings.Cut(out.Reason, "\n")
	if !strings.HasPrefix(first, "its result was refused 4 times: `") || !strings.HasSuffix(first, " exited with 1: Error: it is one") || said != "guarded\none\ntwo\nError: it is one" || len(out.Reported) != 0 {
		t.Errorf("it failed for %q, and reports %q", out.Reason, out.Reported)
	}
}

// A refusal by a provider's filter is not a question, and no other attempt would pass it: it is named, and
// the step blocked.
func TestRefusalByAFilter(t *testing.T) {
	s := newShop(t, "true")
	filtered := script.Turn{Faults: []script.Fault{{Status: 400, Body: `{"error":{"message":"flagged","code":"content_filter"}}`}}}
	server, err := script.Serve(script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: []script.Turn{call("list_files", `{}`), filtered}}}})
	s.Fine(err)
	defer server.Close()
	s.Set("plan.executor.agent", "http", "planAgent.http.baseURL", server.URL(), "planAgent.http.model", "x")
	s = reopened(s.World)
	task := s.step("true")
	task.Attempts, task.Assume, task.Prompt = 3, true, rolePrompt
	out := s.works(task)
	s.ended(out, agent.Failed, "127.0.0.1: refused by the provider's content filter (HTTP 400): flagged")
	if out.Attempts != 1 || out.Question() != "" {
		t.Errorf("%d attempts, it asks %q", out.Attempts, out.Question())
	}
}

// A session that ends without claiming to be done, because its turns are used up, it only talks, or its calls
// cannot be parsed, is judged like one that does if a check of the step failed before: its work must pass the
// checks and the guard, and must have changed something.
func TestSessionsWithoutAResult(t *testing.T) {
	writes, looks := call("write_file", `{"path": "a.txt", "content": "one\n"}`), call("list_files", `{}`)
	done := call("finish", `{"status": "done"}`)
	text, all := script.Turn{Say: "It is all there."}, "all 2 turns are used and the session did not finish"
	silent := "gave no answer: text without a tool call, 3 times (the model must call tools, and the server's context may be too small: git plan man agents)"
	for name, c := range map[string]struct {
		check  string
		turns  []script.Turn
		status agent.Status
		why    string
		checks int
		as     func(*Task)
	}{
		"only text":         {"test -f a.txt", []script.Turn{writes, text, text, text}, agent.Done, "", 1, nil},
		"text, and half":    {"test -f b.txt", []script.Turn{writes, text, text, text}, agent.Failed, silent + "; `test -f b.txt` exited with 1", 1, nil},
		"repeats":           {"test -f a.txt", []script.Turn{writes, looks, looks, looks, looks, looks}, agent.Done, "", 1, nil},
		"no failure before": {"test -d .git", []script.Turn{writes, text, text, text}, agent.Failed, silent, 0, nil},
		"right":             {"test -f a.txt", []script.Turn{writes, looks}, agent.Done, "", 1, nil},
		"passes at last":    {"test -f a.txt", []script.Turn{looks, writes}, agent.Done, "", 1, nil},
		"wrong":             {"test -f b.txt", []script.Turn{writes, looks}, agent.Failed, all + "; `test -f b.txt` exited with 1", 1, nil},
		"refused":           {"test -f b.txt", []script.Turn{writes, done}, agent.Failed, "all 2 turns are used, and its result was refused: `test -f b.txt` exited with 1", 1, nil},
		"says it failed":    {"true", []script.Turn{writes, call("finish", `{"status": "failed", "summary": "half of it"}`)}, agent.Failed, "half of it", 0, nil},
		"no change":         {"true", []script.Turn{looks, looks}, agent.Failed, all + "; the session changed nothing", 0, func(t *Task) { t.Unchanged = true }},
		"no check":          {"", []script.Turn{writes, looks}, agent.Failed, all, 0, func(t *Task) { t.Checks = nil }},
		"may fail":          {"true", []script.Turn{writes, looks}, agent.Failed, all, 0, func(t *Task) { t.Accepted = map[string]bool{journal.NameOfCheck("true"): true} }},
		"tampering":         {"true", []script.Turn{call("run_command", `{"command": "echo >a.txt; git config alias.st status"}`), looks}, agent.Failed, "tampering: ", 0, nil},
		"a fixer":           {"true", []script.Turn{writes, looks}, agent.Failed, all, 0, func(t *Task) { t.Role, t.Record, t.Name = agent.Fixer, nil, journal.FixName(1) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, "true")
			server, err := script.Serve(script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: c.turns}}})
			s.Fine(err)
			defer server.Close()
			s.Set("plan.executor.agent", "http", "planAgent.http.baseURL", server.URL(), "planAgent.http.model", "x")
			s = reopened(s.World)
			task := s.step(c.check)
			task.Attempts, task.Prompt = 1, rolePrompt
			if task.Session.MaxTurns = 2; len(c.turns) > 2 {
				task.Session.MaxTurns = 10
			}
			if c.check != "test -d .git" {
				s.Fine(s.Runner.RecordResults(runner.CheckResult{Tree: s.Git("rev-parse", "HEAD^{tree}"), Command: c.check, Exit: proc.Exit{Code: 1}}))
			}
			if c.as != nil {
				c.as(&task)
			}
			out := s.works(task)
			s.ended(out, c.status, c.why)
			if s.Count(journal.CheckEnd) != c.checks {
				t.Errorf("%d checks were run", s.Count(journal.CheckEnd))
			}
			notices := strings.Join(out.Reported, "; ")
			if (out.Status == agent.Done) != strings.Contains(notices, ": it never reported that it was done, but the checks pass") {
				t.Errorf("it is reported as %q", notices)
			}
			if out.Status == agent.Done && s.Git("log", "-1", "--format=%s", "--", "a.txt") != "Make a" {
				t.Errorf("it committed %s", s.Git("show", "--stat"))
			}
		})
	}
}
