package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
)

// TestServers runs the built-in agent with a third-party model server: aimock, from npm, over both APIs. Each
// kind of failure is reported correctly, in time. `make servers` installs it.
func TestServers(t *testing.T) {
	server := os.Getenv("SERVERS")
	if server == "" {
		t.Skip("needs aimock: testdata/README.md")
	}
	built(t)
	call := func(name string, args any) map[string]any {
		text, _ := json.Marshal(args)
		return map[string]any{"toolCalls": []any{map[string]any{"name": name, "arguments": string(text)}}}
	}
	fails := func(status int, code string) map[string]any {
		return map[string]any{"status": status, "error": map[string]any{"message": "as asked", "type": code, "code": code}}
	}
	writes := call("run_command", map[string]any{"command": "echo hello >one.txt"})
	ends := call("finish", map[string]any{"status": "done", "summary": "It is there."})
	for name, tt := range map[string]struct {
		answers []map[string]any // one after the other; the last one from then on
		chaos   []string
		code    int
		says    string
		not     string
	}{
		"a step":                           {answers: []map[string]any{writes, ends}, says: "step one done"},
		"a server that is down":            {answers: []map[string]any{fails(503, "unavailable")}, code: exit.Temporary, says: "the endpoint failed (HTTP 503)", not: "rate limited"},
		"a limit":                          {answers: []map[string]any{fails(429, "rate_limit_exceeded")}, code: exit.Temporary, says: "rate limited (HTTP 429)"},
		"a first request that is too long": {answers: []map[string]any{fails(400, "context_length_exceeded")}, code: exit.Error, says: "does not fit into the model's context", not: "attempt 2"},
		"truncated answers":                {answers: []map[string]any{{"content": "and so on", "finishReason": "length"}}, code: exit.Step, says: "cut at the model's token limit"},
		"prose":                            {answers: []map[string]any{{"content": "I would."}}, code: exit.Step, says: "text without a tool call"},
		"no such model":                    {answers: []map[string]any{fails(404, "model_not_found")}, code: exit.Error, says: "not found (HTTP 404)"},
		"a refused key":                    {answers: []map[string]any{fails(401, "invalid_api_key")}, code: exit.Error, says: "not authorised (HTTP 401)"},
		"a filter":                         {answers: []map[string]any{fails(400, "content_filter")}, code: exit.Step, says: "127.0.0.1: refused by the provider's content filter", not: "attempt 2"},
		"a dropped connection":             {answers: []map[string]any{writes}, chaos: []string{"--chaos-disconnect", "1"}, code: exit.Temporary},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := aimock(t, server, tt.answers, tt.chaos)
			dir := t.TempDir()
			sh := shellIn(t, dir, filepath.Join(builds.dir, "git-plan"))
			began := time.Now()
			out, err := sh(`git init -q repo && cd repo && git commit -q --allow-empty -m one && printf '# Work\n\n## Steps\n- [ ] **One** {#one}\n  - Check: \140test -s one.txt\140\n' | git plan new -F - --yes &&
git config plan.agent openai && git config planAgent.openai.model m && git config planAgent.openai.baseURL ` + base + ` && git config plan.waitOnLimit 3s &&
OPENAI_API_KEY=sk-x git plan step --no-review`)
			code := 0
			if exit, ok := err.(*exec.ExitError); ok {
				code = exit.ExitCode()
			}
			if code != tt.code || !strings.Contains(out, tt.says) || tt.not != "" && strings.Contains(out, tt.not) {
				t.Errorf("exit code %d, want %d with %q:\n%s", code, tt.code, tt.says, out)
			}
			t.Logf("%.0f s", time.Since(began).Seconds())
		})
	}
}

// aimock starts the server with answers, and returns its address.
func aimock(t *testing.T, server string, answers []map[string]any, more []string) string {
	t.Helper()
	var fixtures []any
	for i, answer := range answers {
		match := map[string]any{"userMessage": "Your step"}
		if i < len(answers)-1 {
			match["sequenceIndex"] = i
		}
		fixtures = append(fixtures, map[string]any{"match": match, "response": answer})
	}
	// What a model learns that calls no tool; the server repeats its last answer.
	fixtures = append(fixtures, map[string]any{"match": map[string]any{"userMessage": "call the next tool"}, "response": answers[len(answers)-1]})
	data, err := json.Marshal(map[string]any{"fixtures": fixtures})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "fixtures.json")
	write(t, file, string(data))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command(server, append([]string{"-p", fmt.Sprint(port), "-f", file, "--log-level", "warn"}, more...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return "http://" + address + "/v1"
		}
		if time.Now().After(deadline) {
			t.Fatal("aimock does not start")
		}
	}
}
