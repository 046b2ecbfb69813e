// Package contract has the stories of the contract that every kind of agent must satisfy. The step's id
// chooses the story: see testdata/agents/contract.sh and testdata/models/contract.json.
package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Key is the key of the built-in agent in the stories.
const Key = "sk-contract-0123456789"

// Play plays all stories with agents, each with one that open opens for it.
func Play(t *testing.T, open func(*testing.T) agent.Agent) {
	for story, play := range stories() {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			play(t, open(t))
		})
	}
}

// Session is a session of a story in an empty tree.
func Session(t *testing.T, r agent.Role, step string) agent.Session {
	return agent.Session{ID: fmt.Sprintf("s%d", rand.Int()), Role: r, Plan: "p1", Step: step, Branch: "plan/x", Attempt: 1, Dir: Repository(t), Nonce: "n0nce",
		Prompt:  agent.Prompt{System: "Role: " + string(r) + "\nDo it.", User: "The step.\nStep: " + step + "\nAttempt: 1\n"},
		Timeout: 2 * time.Minute, Env: proc.CheckEnv(nil)}
}

// Repository returns the folder of an empty repository.
func Repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	repository.Git(t, dir, "init", "-q")
	return dir
}

// Want compares a result with its status and a part of its reason.
func Want(t *testing.T, got agent.Result, status agent.Status, reason string) {
	t.Helper()
	if got.Status != status || !strings.Contains(got.Reason, reason) {
		t.Errorf("got %s %q, want %s %q", got.Status, got.Reason, status, reason)
	}
}

func stories() map[string]func(*testing.T, agent.Agent) {
	ends := func(r agent.Role, step string, want agent.Status, reason string) func(*testing.T, agent.Agent) {
		return func(t *testing.T, a agent.Agent) {
			Want(t, a.Run(t.Context(), Session(t, r, step)), want, reason)
		}
	}
	answersWith := func(r agent.Role, step, want string) func(*testing.T, agent.Agent) {
		return func(t *testing.T, a agent.Agent) {
			got := a.Run(t.Context(), Session(t, r, step))
			if got.Status != agent.Done || !sameJSON(got.Answer, want) {
				t.Errorf("got %s %q %s, want the answer %s", got.Status, got.Reason, got.Answer, want)
			}
		}
	}
	return map[string]func(*testing.T, agent.Agent){
		"does its step and reports": storyDone,
		"asks a question": func(t *testing.T, a agent.Agent) {
			got := a.Run(t.Context(), Session(t, agent.Executor, "blocked"))
			if got.Status != agent.Blocked || got.Question != "Which one?" {
				t.Errorf("got %s %q", got.Status, got.Question)
			}
		},
		"says that it failed":  ends(agent.Executor, "failed", agent.Failed, "It cannot be done."),
		"gives no answer":      ends(agent.Planner, "silent", agent.Failed, "gave no answer"),
		"meets a limit":        ends(agent.Executor, "limited", agent.Limited, ""),
		"answers with garbage": ends(agent.Executor, "garbage", agent.Failed, "JSON"),
		"takes too long": func(t *testing.T, a agent.Agent) {
			s := Session(t, agent.Executor, "stall")
			s.Timeout = 200 * time.Millisecond
			Want(t, a.Run(t.Context(), s), agent.TimedOut, "longer than")
		},
		"is silent": func(t *testing.T, a agent.Agent) {
			s := Session(t, agent.Executor, "stall")
			s.Idle = 2 * time.Second // the time limit for it to begin
			got := a.Run(t.Context(), s)
			if a.MayWrite() {
				Want(t, got, agent.TimedOut, "no sign of life")
			} else {
				Want(t, got, agent.Done, "") // its endpoint is asked again
			}
		},
		"is cancelled and leaves nothing running": storyCancel,
		"plans":   answersWith(agent.Planner, "plan", "# A plan\n"),
		"reviews": answersWith(agent.Reviewer, "review", `{"nonce": "n0nce", "covered": ["a.go"], "findings": []}`),
		"verifies": answersWith(agent.Verifier, "verify",
			`{"nonce": "n0nce", "answers": [{"id": "f1", "answer": "confirmed", "because": "it is so", "quote": "x"}]}`),
		"accounts for each finding": func(t *testing.T, a agent.Agent) {
			got := a.Run(t.Context(), Session(t, agent.Fixer, "fix"))
			if want := []agent.Disposition{{ID: "f1", Disposition: "fixed", Because: "mended"}}; got.Status != agent.Done || !slices.Equal(got.Dispositions, want) {
				t.Errorf("got %s %q %v", got.Status, got.Reason, got.Dispositions)
			}
		},
		"keeps keys from what it runs":   storyEnvironment,
		"fixes a result that is refused": storyAccept,
		"stops when the budget is spent": func(t *testing.T, a agent.Agent) {
			s := Session(t, agent.Executor, "done")
			s.Spend = func(agent.Tokens, agent.Cost) error { return errors.New("the budget is spent") }
			Want(t, a.Run(t.Context(), s), agent.Stopped, "the budget is spent")
		},
	}
}

// storyDone: the work is in the tree, the report in the result, and everything in the transcript.
func storyDone(t *testing.T, a agent.Agent) {
	s := Session(t, agent.Executor, "done")
	var log bytes.Buffer
	s.Transcript = &log
	got := a.Run(t.Context(), s)
	if b, err := os.ReadFile(filepath.Join(s.Dir, "made.txt")); string(b) != "made\n" {
		t.Errorf("made.txt holds %q, %v; %s %s", b, err, got.Status, got.Reason)
	}
	want := agent.Result{Status: agent.Done, Subject: "Make it", Summary: "made it", Agent: got.Agent, ExitCode: got.ExitCode,
		Handoff: agent.Handoff{Did: "made.txt", Why: "asked for", Rejected: "nothing"}, Tokens: agent.Tokens{In: 100, Cached: 40, Out: 7}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if a.MayWrite() {
		if got.ExitCode == nil || *got.ExitCode != 0 {
			t.Errorf("exit code of its program: %v", got.ExitCode)
		}
	}
	if !strings.HasPrefix(got.Agent, a.Name()) {
		t.Errorf("agent is %q", got.Agent)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
	if !strings.Contains(lines[0], "The step.") || !strings.Contains(lines[len(lines)-1], `"end":"done"`) {
		t.Errorf("transcript:\n%s", log.String())
	}
	if b, err := os.ReadFile(filepath.Join(s.Dir, "prompt.txt")); err == nil && string(b) != a.FullPrompt(s) {
		t.Errorf("a command's standard input was %q", b)
	}
}

func storyCancel(t *testing.T, a agent.Agent) {
	s := Session(t, agent.Executor, "leave")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan agent.Result)
	go func() { ended <- a.Run(ctx, s) }()
	waitFor(t, filepath.Join(s.Dir, "started"))
	cancel()
	select {
	case got := <-ended:
		if got.Status != agent.Cancelled {
			t.Errorf("got %s %q", got.Status, got.Reason)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it did not end")
	}
	late := filepath.Join(s.Dir, "late") // touched ten times a second while it runs
	_ = os.Remove(late)
	time.Sleep(time.Second)
	if _, err := os.Stat(late); err == nil {
		t.Error("a process of the session outlived it")
	}
}

func storyEnvironment(t *testing.T, a agent.Agent) {
	s := Session(t, agent.Executor, "env")
	s.Env = append(s.Env, "SOME_OTHER_NAME="+Key)
	if got := a.Run(t.Context(), s); got.Status != agent.Done {
		t.Fatalf("got %s %q", got.Status, got.Reason)
	}
	b, _ := os.ReadFile(filepath.Join(s.Dir, "env.txt"))
	if !strings.Contains(string(b), proc.EnvDepth+"=1") {
		t.Errorf("the session's environment is not there:\n%s", b)
	}
	if a.Name() == "openai" && strings.Contains(string(b), Key) {
		t.Error("the model's key is there")
	}
	if a.Name() != "openai" && a.Name() != "replay" && !strings.Contains(string(b), "GIT_PLAN_ATTEMPT=1\n") {
		t.Errorf("the command was not told its attempt:\n%s", b)
	}
}

// storyAccept: an agent with a connection is told what is wrong; a command cannot be.
func storyAccept(t *testing.T, a agent.Agent) {
	if a.MayWrite() {
		s := Session(t, agent.Planner, "plan")
		s.Accept = func(context.Context, agent.Result) error { t.Error("it was asked"); return nil }
		if got := a.Run(t.Context(), s); got.Status != agent.Done {
			t.Errorf("got %s %q", got.Status, got.Reason)
		}
		return
	}
	for step, want := range map[string]agent.Status{"again": agent.Done, "never": agent.Failed} {
		s := Session(t, agent.Planner, step)
		s.Accept = func(_ context.Context, r agent.Result) error {
			if !strings.HasPrefix(r.Answer, "# ") {
				return errors.New("line 1: no title")
			}
			return nil
		}
		got := a.Run(t.Context(), s)
		if got.Status != want || want == agent.Failed && !strings.Contains(got.Reason, "refused 4 times: line 1: no title") || want == agent.Done && got.Answer != "# Good\n" {
			t.Errorf("%s: got %s %q %q", step, got.Status, got.Reason, got.Answer)
		}
	}
}

func waitFor(t *testing.T, file string) {
	t.Helper()
	for range 1000 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal(file + " never came")
}

// sameJSON compares JSON by value, other texts as they are.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return cmp.Equal(x, y)
}
