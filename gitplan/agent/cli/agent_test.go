package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/contract"
)

// unruly is claude as played by testdata/agents/unruly.
func unruly(t *testing.T) *Agent {
	t.Helper()
	program, err := filepath.Abs("../../../testdata/agents/unruly")
	if err != nil {
		t.Fatal(err)
	}
	c := New(Agent{AgentName: "claude", Program: program, stay: 100 * time.Millisecond})
	return c
}

// TestUnruly: however a program behaves, its session has the right result, and no process remains.
func TestUnruly(t *testing.T) {
	for story, c := range map[string]struct {
		set    func(*Agent, *agent.Session)
		want   agent.Status
		reason string
	}{
		"daemon": {nil, agent.Done, ""},
		"deaf":   {func(_ *Agent, s *agent.Session) { s.Idle = 300 * time.Millisecond }, agent.TimedOut, "no sign of life for 300ms"},
		"mute":   {nil, agent.Failed, "ended without a result (exit code 0)"},
		"half":   {nil, agent.Failed, "ended without a result (exit code 0)"},
		"stays":  {nil, agent.Done, ""},

		"structured":   {nil, agent.Done, ""},
		"refused":      {nil, agent.Unusable, "this account has no such model"},
		"refusedlater": {nil, agent.Failed, "this account has no such model"},
		"retries":      {func(c *Agent, _ *agent.Session) { c.Wait = 300 * time.Millisecond }, agent.Limited, "did nothing but retry for 300ms: rate_limit (HTTP 429)"},
		"wrongkey":     {nil, agent.Unauthorised, "authentication_failed (HTTP 401)"},
		"tomorrow":     {func(c *Agent, _ *agent.Session) { c.Wait = 48 * time.Hour }, agent.Limited, "rate_limit (HTTP 429)"},
		"recovers":     {func(c *Agent, _ *agent.Session) { c.Wait = 2 * time.Second }, agent.Done, ""},
		"loop":         {func(_ *Agent, s *agent.Session) { s.MaxTurns = 3 }, agent.Failed, "all 3 turns are used"},
		"tool":         {func(_ *Agent, s *agent.Session) { s.Idle = 3 * time.Second }, agent.Done, ""},
	} {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			a, s := unruly(t), contract.Session(t, agent.Executor, story)
			if c.set != nil {
				c.set(a, &s)
			}
			contract.Want(t, a.Run(t.Context(), s), c.want, c.reason)
			nothingLeft(t, s.ID)
		})
	}
}

// nothingLeft looks for a session's processes by their mark.
func nothingLeft(t *testing.T, id string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(found) == 0 {
		t.Skip("no /proc here")
	}
	for _, f := range found {
		env, _ := os.ReadFile(f)
		if bytes.Contains(env, []byte(proc.Mark(id)+"\x00")) {
			t.Errorf("%s is still there", f)
		}
	}
}

// A rate limit is reported with its duration; the transcript contains the wait and no secret; the events
// report both.
func TestRateLimitIsReportedWithItsDuration(t *testing.T) {
	a, s := unruly(t), contract.Session(t, agent.Executor, "tomorrow")
	var log bytes.Buffer
	var events []agent.Event
	s.Transcript, s.On = &log, func(e agent.Event) { events = append(events, e) }
	if got := a.Run(t.Context(), s); got.Status != agent.Limited || got.RetryAfter != 24*time.Hour || got.Reason != "rate_limit (HTTP 429)" {
		t.Errorf("got %s after %s: %s", got.Status, got.RetryAfter, got.Reason)
	}
	if len(events) != 1 || events[0].Kind != agent.Waiting || !strings.Contains(log.String(), `"waiting":"retrying: rate_limit`) {
		t.Errorf("events %v\n%s", events, log.String())
	}
}

// The budget is checked at each turn, with the usage so far.
func TestBudgetEndsASession(t *testing.T) {
	a, s := unruly(t), contract.Session(t, agent.Executor, "loop")
	var log, events bytes.Buffer
	s.Transcript = &log
	s.On = func(e agent.Event) { events.WriteString(e.Text + "\n") }
	s.Spend = func(now agent.Tokens, _ agent.Cost) error {
		if now.In >= 30 {
			return errors.New("plan.maxTokens is used up")
		}
		return nil
	}
	got := a.Run(t.Context(), s)
	if got.Status != agent.Stopped || got.Reason != "plan.maxTokens is used up" || got.Tokens.In < 30 || got.Tokens.In > 1000 {
		t.Errorf("got %s %q %v", got.Status, got.Reason, got.Tokens)
	}
	for _, text := range []string{log.String(), events.String()} {
		if strings.Contains(text, "abcdef123456") || !strings.Contains(text, "turn 1 with "+"[redacted]") {
			t.Errorf("a key is in the transcript or in the events:\n%s", text)
		}
	}
}

// A session has a folder for temporary files that is removed with it.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	a, s := unruly(t), contract.Session(t, agent.Executor, "folder")
	if got := a.Run(t.Context(), s); got.Status != agent.Done || got.Cost != (agent.Cost{USD: 0.25, Known: true}) {
		t.Fatalf("got %s %q %v", got.Status, got.Reason, got.Cost)
	}
	b, _ := os.ReadFile(filepath.Join(s.Dir, "tmpdir.txt"))
	dir := strings.TrimSpace(string(b))
	if _, err := os.Stat(dir); dir == "" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q is still there: %v", dir, err)
	}
}

// A misconfigured agent is reported before anything is started.
func TestMisconfiguredAgents(t *testing.T) {
	s := contract.Session(t, agent.Executor, "mute")
	for want, c := range map[string]struct {
		program string
		prompt  int
	}{
		"is not installed: there is no program /nowhere/claude: install it: npm install -g @anthropic-ai/claude-code": {program: "/nowhere/claude"},
		"characters, and claude is given at most 1000000":                                                             {prompt: 1_000_001},
	} {
		a, s := unruly(t), s
		if c.program != "" {
			a.Program = c.program
		}
		s.Prompt.User += strings.Repeat("é", c.prompt)
		if got := a.Run(t.Context(), s); got.Status != agent.Unusable || !strings.Contains(got.Reason+": "+got.Next, want) {
			t.Errorf("got %s %q, want %q", got.Status, got.Reason, want)
		}
	}
	t.Setenv("HOME", "/home/me")
	a := New(Agent{AgentName: "codex", Program: "~/bin/codex"})
	if other := NewACP(Agent{Program: "~/bin/codex"}); a.Program != "/home/me/bin/codex" || other.Program != a.Program {
		t.Errorf("of a program in the home: %v, %v", a, other)
	}
}

// Codex's mount points in shared folders exist as long as one of several sessions does, and are then removed.
func TestMountPointsOfCodex(t *testing.T) {
	dir := t.TempDir()
	c := New(Agent{AgentName: "codex", Writable: []string{dir}})
	s := agent.Session{Role: agent.Executor, Dir: "/tree", Beside: true}
	var begun [2]launch
	for i := range begun {
		if begun[i] = c.dialect.start(c, s, t.TempDir()); !strings.Contains(strings.Join(begun[i].args, " "), "exclude_slash_tmp=true") {
			t.Fatal(begun[i].args)
		}
	}
	begun[0].close()
	for _, name := range []string{".git", ".agents", ".codex", ".aws"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	begun[1].close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Read-only roles are started with arguments that allow nothing else; no role is started with all
// permissions, unless the person asks for it.
func TestRolesAreEnforcedByArguments(t *testing.T) {
	for name, want := range map[string]struct{ writes, reads string }{
		"claude":   {"--permission-mode acceptEdits", "--permission-mode dontAsk --strict-mcp-config --allowedTools Read,Glob,Grep --disallowedTools Bash,Edit,Write"},
		"codex":    {"-s workspace-write --add-dir /usr -m m", "-s read-only -m m"},
		"opencode": {`OPENCODE_PERMISSION={"*":"allow"`, `OPENCODE_PERMISSION={"*":"deny","glob":"allow","grep":"allow","list":"allow","lsp":"allow","read":"allow"}`},
	} {
		c := New(Agent{AgentName: name, Writable: []string{"/usr", "/nowhere"}})
		for _, role := range []agent.Role{agent.Planner, agent.Executor, agent.Reviewer, agent.Verifier, agent.Fixer} {
			l := c.dialect.start(c, agent.Session{Role: role, Dir: "/tree", Model: "m", Effort: "high"}, t.TempDir())
			started := strings.Join(l.args, " ")
			for _, kv := range l.env {
				started += " " + kv[0] + "=" + kv[1]
			}
			has := want.reads
			if role.Writes() {
				has = want.writes
			}
			if !strings.Contains(started, has) || !strings.Contains(started, "-m m") && !strings.Contains(started, "--model m") {
				t.Errorf("%s %s: %s", name, role, started)
			}
			for _, never := range []string{"yolo", "dangerously", "bypass", "danger-full-access", "--auto "} {
				if strings.Contains(started+" ", never) {
					t.Errorf("%s %s is started with %s: %s", name, role, never, started)
				}
			}
		}
	}
}

// Doctor finds the path of each agent and whether it can be used.
func TestInstalledAgentsAreFound(t *testing.T) {
	dir := t.TempDir()
	for name, says := range map[string]string{"claude": "2.1.329 (Claude Code)", "codex-beta": "codex-cli 0.117.9", "gemini": "oops"} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, "#!/bin/sh\necho '%s'\n", says), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+"/bin")
	found := Find(t.Context(), func(name string) string {
		return map[string]string{"codex": "codex-beta", "opencode": filepath.Join(dir, "nothing")}[name]
	})
	for i, want := range []struct{ name, path, version, problem string }{
		{"claude", "claude", "2.1.329", ""},
		{"codex", "codex-beta", "0.117.9", "codex 0.117.9 is too old: 0.118.0 or newer is needed"},
		{"gemini", "gemini", "", "prints no version"},
		{"opencode", "", "", "opencode is not installed"},
	} {
		if want.path != "" {
			want.path = filepath.Join(dir, want.path)
		}
		f := found[i]
		if f.Name != want.name || f.Path != want.path || f.Version != want.version || !strings.Contains(f.Problem, want.problem) || (want.problem == "") != (f.Problem == "") {
			t.Errorf("found %+v, want %+v", f, want)
		}
	}
}

// The cost of a session is what the program reports, else the price of its tokens.
func TestCostIsReportedOrComputed(t *testing.T) {
	price := agent.Price{In: 1, Cached: 0.5, Out: 10}
	for name, want := range map[string]agent.Cost{"codex": {USD: (60*1 + 40*0.5 + 7*10) / 1e6, Known: true}, "claude": {USD: 0.25, Known: true}} {
		a := played(t, name)
		step := "done"
		if name == "claude" {
			a, step = unruly(t), "folder"
		}
		a.Price = price
		if got := a.Run(t.Context(), contract.Session(t, agent.Executor, step)); got.Cost != want {
			t.Errorf("%s cost %v, want %v", name, got.Cost, want)
		}
	}
	cut := played(t, "codex") // it reports its usage only at its end
	cut.Price, cut.Program = price, filepath.Join(t.TempDir(), "codex")
	text := "#!/bin/sh\ncat >/dev/null\necho '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"I look.\"}}'\nexit 1\n"
	if err := os.WriteFile(cut.Program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := cut.Run(t.Context(), contract.Session(t, agent.Executor, "done")); got.Tokens.Unreported != 1 || got.Cost.Known {
		t.Errorf("a session that did not report what it used: %v, %v", got.Tokens, got.Cost)
	}
}
