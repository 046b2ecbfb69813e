package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/race"
)

// One command, unattended: twelve steps by a model that fails one check in four, once so often that its
// session is given up, behind a server that refuses, breaks, cuts and stalls in between. The run ends
// complete, with one commit per step, reviewed, and without an intervention.
func TestUnattendedRun(t *testing.T) {
	race.Skip(t)
	repo := begun(t, 0)
	var plan strings.Builder
	plan.WriteString("# Twelve things\n\n## Steps\n\n")
	for i := range 12 {
		fmt.Fprintf(&plan, "- [ ] **Thing %[1]d** {#s%[1]d}\n  - Files: `s%[1]d.txt`\n  - Check: `grep -qx good s%[1]d.txt`\n", i)
	}
	write(t, filepath.Join(repo, "..", "plan.md"), plan.String())
	runGit(t, repo, "plan", "new", "-F", "../plan.md", "--yes")

	server, err := script.Serve(unattended())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for key, value := range map[string]string{"planAgent.model.baseURL": server.URL(), "planAgent.model.model": "m", "plan.agent": "model",
		"plan.executor.idleTimeout": "2s", "plan.waitOnLimit": "200ms"} {
		runGit(t, repo, "config", key, value)
	}
	cmd := exec.Command("git", "plan", "run")
	cmd.Dir = repo // standard input is closed
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"waiting: ", "check failed with 1", "step s8 done", "attempt 2 (model/m) begins", "review: clean"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if got := runGit(t, repo, "log", "--format=%(trailers:key=Plan-Step,valueonly,separator=)", "main..HEAD"); strings.Count(got, "\n") != 12 {
		t.Errorf("want one commit for each step, got:\n%s", got)
	}
	_, story, _ := strings.Cut(runGit(t, repo, "log", "--reverse", "--format=%B", "--glob=refs/plans/*"), "Plan-Event: approved")
	_, story, _ = strings.Cut(story, "Plan-By: person") // the event of the approval itself
	if strings.Contains(story, "Plan-By: person") || !strings.Contains(story, "Plan-Event: reviewed") {
		t.Errorf("a person was needed:\n%s", story)
	}
}

// unattended is the model and its server.
func unattended() script.Script {
	troubles := [][]script.Fault{
		{{Status: 429, RetryAfter: "0.03"}}, {{Status: 500}}, {{StallMS: 1}}, {{StallMS: 4000}},
		{{Status: 429, RetryAfter: "0.02"}, {Status: 502}, {StallMS: 1}}, nil,
	}
	var s script.Script
	var paths []string
	for i := range 12 {
		step := fmt.Sprintf("s%d", i)
		paths = append(paths, step+".txt")
		lane := script.Lane{Role: agent.Executor, Step: step, Attempt: 1}
		done := modelCalls("finish", map[string]any{"status": "done", "summary": "wrote " + step})
		switch {
		case i == 8: // it repeats that until the session is given up; a fresh one does it
			lane.Turns = []script.Turn{writes(step, "bad"), done, done, done, done}
			second := script.Lane{Role: agent.Executor, Step: step, Attempt: 2, Turns: []script.Turn{writes(step, "good"), done}}
			s.Lanes = append(s.Lanes, second)
		case i%4 == 1:
			lane.Turns = []script.Turn{writes(step, "bad"), done, writes(step, "good"), done}
		default:
			lane.Turns = []script.Turn{writes(step, "good"), done}
		}
		lane.Turns[i%2].Faults = troubles[i%len(troubles)]
		s.Lanes = append(s.Lanes, lane)
	}
	s.Lanes = append(s.Lanes, script.Lane{Role: agent.Reviewer, Turns: []script.Turn{
		modelCalls("submit_review", map[string]any{"covered": paths, "findings": []any{}})}})
	s.Lanes[len(s.Lanes)-1].Turns[0].Faults = []script.Fault{{Status: 503, RetryAfter: "0.02"}}
	return s
}

func writes(step, text string) script.Turn {
	return modelCalls("run_command", map[string]any{"command": fmt.Sprintf("echo %s >%s.txt", text, step)})
}

func modelCalls(tool string, args map[string]any) script.Turn {
	b, _ := json.Marshal(args)
	return script.Turn{Calls: []script.Call{{Name: tool, Args: b}}}
}
