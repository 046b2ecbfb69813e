package agent

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

	"github.com/git-plan/git-plan/gitplan/proc"
)

const contractRecording = "../../testdata/models/contract.json"

// contractKey is the key of the built-in agent in the contract's stories.
const contractKey = "sk-contract-0123456789"

// TestContract tells the same stories to every agent. Which story an agent
// plays is the step's id: see testdata/agents/contract.sh and
// testdata/models/contract.json.
func TestContract(t *testing.T) {
	for name, open := range map[string]func(*testing.T) Agent{
		"openai over chat": openBuiltIn(apiChat), "openai over responses": openBuiltIn(apiResponses),
		"command": openCommand, "replay": openReplay,
		"claude": openCLI("claude"), "codex": openCLI("codex"), "gemini": openCLI("gemini"), "opencode": openCLI("opencode"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for story, play := range stories() {
				t.Run(story, func(t *testing.T) {
					t.Parallel()
					play(t, open(t))
				})
			}
		})
	}
}

func openBuiltIn(api string) func(*testing.T) Agent {
	return func(t *testing.T) Agent {
		script, err := ReadScript(contractRecording)
		if err != nil {
			t.Fatal(err)
		}
		server := serve(t, script)
		a, err := NewOpenAI(OpenAI{Endpoint: Endpoint{BaseURL: server.URL(), API: api, Key: contractKey, Wait: defaultWait, FirstDelay: time.Millisecond}, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

func openReplay(t *testing.T) Agent {
	r, err := NewReplay("replay", contractRecording)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func openCommand(t *testing.T) Agent {
	script, err := filepath.Abs("../../testdata/agents/contract.sh")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCommand("mine", fmt.Sprintf("sh '%s'", script))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// openCLI opens a command-line agent that is played by testdata/agents/<name>.
func openCLI(name string) func(*testing.T) Agent {
	return func(t *testing.T) Agent {
		program, err := filepath.Abs("../../testdata/agents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewCLI(CLI{AgentName: name, Program: program})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func serve(t *testing.T, s Script) *Server {
	t.Helper()
	server, err := Serve(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// session is a session of a story in an empty tree.
func session(t *testing.T, r Role, step string) Session {
	return Session{ID: fmt.Sprintf("s%d", rand.Int()), Role: r, Plan: "p1", Step: step, Branch: "plan/x", Attempt: 1, Dir: t.TempDir(), Nonce: "n0nce",
		Prompt:  Prompt{System: "Role: " + string(r) + "\nDo it.", User: "The step.\nStep: " + step + "\nAttempt: 1\nNonce: n0nce\n"},
		Timeout: 2 * time.Minute, Env: proc.Worker(nil)}
}

func stories() map[string]func(*testing.T, Agent) {
	ends := func(r Role, step string, want Status, reason string) func(*testing.T, Agent) {
		return func(t *testing.T, a Agent) {
			got := a.Run(t.Context(), session(t, r, step))
			if got.Status != want || !strings.Contains(got.Reason, reason) {
				t.Errorf("got %s %q, want %s because %q", got.Status, got.Reason, want, reason)
			}
		}
	}
	answersWith := func(r Role, step, want string) func(*testing.T, Agent) {
		return func(t *testing.T, a Agent) {
			got := a.Run(t.Context(), session(t, r, step))
			if got.Status != Done || !sameJSON(got.Answer, want) {
				t.Errorf("got %s %q %s, want the answer %s", got.Status, got.Reason, got.Answer, want)
			}
		}
	}
	return map[string]func(*testing.T, Agent){
		"does its step and reports": storyDone,
		"asks a question": func(t *testing.T, a Agent) {
			got := a.Run(t.Context(), session(t, Executor, "blocked"))
			if got.Status != Blocked || got.Question != "Which one?" {
				t.Errorf("got %s %q", got.Status, got.Question)
			}
		},
		"says that it failed": ends(Executor, "failed", Failed, "It cannot be done."),
		"gives no answer":     ends(Planner, "silent", Failed, "gave no answer"),
		"meets a limit":       ends(Executor, "limited", Limited, ""),
		"answers with garbage": func(t *testing.T, a Agent) {
			ends(Executor, "garbage", Failed, "JSON")(t, a)
		},
		"takes too long": func(t *testing.T, a Agent) {
			s := session(t, Executor, "stall")
			s.Timeout = 200 * time.Millisecond
			wantQuickly(t, a, s, TimedOut, "longer than")
		},
		"is silent": func(t *testing.T, a Agent) {
			s := session(t, Executor, "stall")
			s.Idle = 200 * time.Millisecond
			wantQuickly(t, a, s, TimedOut, "no sign of life")
		},
		"is cancelled and leaves nothing running": storyCancel,
		"plans":   answersWith(Planner, "plan", "# A plan\n"),
		"reviews": answersWith(Reviewer, "review", `{"nonce": "n0nce", "covered": ["a.go"], "findings": []}`),
		"verifies": answersWith(Verifier, "verify",
			`{"nonce": "n0nce", "answers": [{"id": "f1", "answer": "confirmed", "because": "it is so", "quote": "x"}]}`),
		"accounts for each finding": func(t *testing.T, a Agent) {
			got := a.Run(t.Context(), session(t, Fixer, "fix"))
			if want := []Disposition{{"f1", "fixed", "mended"}}; got.Status != Done || !slices.Equal(got.Dispositions, want) {
				t.Errorf("got %s %q %v", got.Status, got.Reason, got.Dispositions)
			}
		},
		"keeps keys from what it runs":   storyEnvironment,
		"mends a result that is refused": storyAccept,
		"stops when the budget is spent": func(t *testing.T, a Agent) {
			s := session(t, Executor, "done")
			s.Spend = func(Tokens, Cost) error { return errors.New("the budget is spent") }
			wantQuickly(t, a, s, Stopped, "the budget is spent")
		},
	}
}

// storyDone: the work is in the tree, the report in the result, and the prompt,
// the turns and the end in the transcript.
func storyDone(t *testing.T, a Agent) {
	s := session(t, Executor, "done")
	var log bytes.Buffer
	s.Transcript = &log
	got := a.Run(t.Context(), s)
	if b, err := os.ReadFile(filepath.Join(s.Dir, "made.txt")); string(b) != "made\n" {
		t.Errorf("made.txt holds %q, %v; %s %s", b, err, got.Status, got.Reason)
	}
	want := Result{Status: Done, Subject: "Make it", Summary: "made it", Agent: got.Agent, ExitCode: got.ExitCode,
		Handoff: Handoff{Did: "made.txt", Why: "asked for", Rejected: "nothing"}, Tokens: Tokens{In: 100, Cached: 40, Out: 7}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	switch a.(type) {
	case *Command, *CLI:
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
	if b, err := os.ReadFile(filepath.Join(s.Dir, "prompt.txt")); err == nil && string(b) != a.Told(s) {
		t.Errorf("a command's standard input was %q", b)
	}
}

func storyCancel(t *testing.T, a Agent) {
	s := session(t, Executor, "leave")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Result)
	go func() { ended <- a.Run(ctx, s) }()
	waitFor(t, filepath.Join(s.Dir, "started"))
	cancel()
	select {
	case got := <-ended:
		if got.Status != Cancelled {
			t.Errorf("got %s %q", got.Status, got.Reason)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it did not end")
	}
	late := filepath.Join(s.Dir, "late") // touched ten times a second while it lives
	_ = os.Remove(late)
	time.Sleep(time.Second)
	if _, err := os.Stat(late); err == nil {
		t.Error("a process of the session outlived it")
	}
}

func storyEnvironment(t *testing.T, a Agent) {
	s := session(t, Executor, "env")
	s.Env = append(s.Env, "SOME_OTHER_NAME="+contractKey)
	if got := a.Run(t.Context(), s); got.Status != Done {
		t.Fatalf("got %s %q", got.Status, got.Reason)
	}
	b, _ := os.ReadFile(filepath.Join(s.Dir, "env.txt"))
	if !strings.Contains(string(b), proc.EnvDepth+"=1") {
		t.Errorf("the session's environment is not there:\n%s", b)
	}
	if a.Name() == "openai" && strings.Contains(string(b), contractKey) {
		t.Error("the model's key is there")
	}
	if a.Name() != "openai" && a.Name() != "replay" && !strings.Contains(string(b), "GIT_PLAN_ATTEMPT=1\n") {
		t.Errorf("the command was not told its attempt:\n%s", b)
	}
}

// storyAccept: an agent that can be answered is told what is wrong, a few times;
// a command cannot be.
func storyAccept(t *testing.T, a Agent) {
	if a.MayWrite() {
		s := session(t, Planner, "plan")
		s.Accept = func(context.Context, Result) error { t.Error("it was asked"); return nil }
		if got := a.Run(t.Context(), s); got.Status != Done {
			t.Errorf("got %s %q", got.Status, got.Reason)
		}
		return
	}
	for step, want := range map[string]Status{"again": Done, "never": Failed} {
		s := session(t, Planner, step)
		s.Accept = func(_ context.Context, r Result) error {
			if !strings.HasPrefix(r.Answer, "# ") {
				return errors.New("line 1: no title")
			}
			return nil
		}
		got := a.Run(t.Context(), s)
		if got.Status != want || want == Failed && !strings.Contains(got.Reason, "refused 4 times: line 1: no title") || want == Done && got.Answer != "# Good\n" {
			t.Errorf("%s: got %s %q %q", step, got.Status, got.Reason, got.Answer)
		}
	}
}

// stalls is how long the agents of the contract are idle where nothing ends them.
const stalls = 300 * time.Second

func wantQuickly(t *testing.T, a Agent, s Session, want Status, reason string) {
	t.Helper()
	begin := time.Now()
	got := a.Run(t.Context(), s)
	if got.Status != want || !strings.Contains(got.Reason, reason) {
		t.Errorf("got %s %q, want %s %q", got.Status, got.Reason, want, reason)
	}
	if d := time.Since(begin); d >= stalls {
		t.Errorf("it was waited for: %s", d)
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
