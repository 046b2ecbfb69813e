package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// served is a repository with a plan, and a client of git plan mcp in it.
type served struct {
	t       *testing.T
	dir     string // of the work tree
	sh      func(script string) (string, error)
	session *mcp.ClientSession
}

func serveMCP(t *testing.T, plan string) *served {
	t.Helper()
	bin, dir := built(t), t.TempDir()
	s := &served{t: t, dir: filepath.Join(dir, "repo"), sh: shellIn(t, dir, bin)}
	write(t, filepath.Join(dir, "plan.md"), plan)
	if out, err := s.sh("git init -q repo && cd repo && git commit -q --allow-empty -m one && git plan new -F ../plan.md --yes"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := exec.Command(bin, "mcp")
	server.Dir = s.dir
	server.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GORACE=" + impatient}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	var err error
	if s.session, err = client.Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.session.Close() })
	return s
}

// call returns the text of a tool's result, and whether it is a refusal.
func (s *served) call(ctx context.Context, name string, args map[string]any) (text string, refused bool, err error) {
	r, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "", false, err
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError, nil
}

func (s *served) says(name string, args map[string]any, refused bool, parts ...string) {
	s.t.Helper()
	text, is, err := s.call(s.t.Context(), name, args)
	if err != nil || is != refused {
		s.t.Errorf("%s: %v, refused %v\n%s", name, err, is, text)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.t.Errorf("%s does not say %q:\n%s", name, part, text)
		}
	}
}

// An agent can do a step with the MCP tools alone, and reads why a call is refused.
func TestAgentDoesAStepByMCP(t *testing.T) {
	s := serveMCP(t, "# Work\n\n## Steps\n- [ ] **One** {#one}\n  - Check: `grep -q good one.txt`\n- [ ] **Two** {#two}\n- [ ] **Ask** {#ask}\n")
	if text := s.session.InitializeResult().Instructions; !strings.Contains(text, "call done") {
		t.Errorf("the instructions: %q", text)
	}
	tools, err := s.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "block done next review show status" { // approving, editing and running is for a person
		t.Error(got)
	}
	s.says("status", nil, false, "one", "two")
	s.says("next", nil, false, "## Your step", "grep -q good one.txt")
	write(t, filepath.Join(s.dir, "one.txt"), "bad\n")
	s.says("done", nil, true, "grep -q good one.txt", "exit code 3")
	write(t, filepath.Join(s.dir, "one.txt"), "good\n")
	s.says("done", nil, false, "step one is done")
	s.says("show", map[string]any{"step": "two"}, false, "Two")
	s.says("block", map[string]any{"step": "ask", "reason": "-h --force: which one?"}, false)
	s.says("status", nil, false, "-h --force: which one?")
	s.says("next", map[string]any{"step": "--drop"}, true)
	s.says("show", map[string]any{"step": "-h"}, true)
	s.says("review", nil, true, "the branch was not reviewed yet")
	if out, err := s.sh("cd repo && git log --format=%s && git plan status --porcelain"); err != nil || !strings.Contains(out, "step\t1\tone\tdone") {
		t.Errorf("%v\n%s", err, out)
	}
}

// What is not a message ends the server, with an error that says what is wrong with it.
func TestInvalidMessageEndsTheServer(t *testing.T) {
	for line, want := range map[string]string{"hello": "invalid character 'h'", `{"id":1,"method":"ping"}`: "invalid message version"} {
		server := exec.Command(built(t), "mcp")
		server.Dir, server.Stdin = t.TempDir(), strings.NewReader(line+"\n")
		said, err := server.CombinedOutput()
		if err == nil || !strings.HasPrefix(string(said), "error: cannot read a message of the client: "+want) {
			t.Errorf("%s: %v\n%s", line, err, said)
		}
	}
}

// A call that the client cancels ends the checks, and commits nothing.
func TestCancelledCallEndsTheChecks(t *testing.T) {
	s := serveMCP(t, "# Work\n\n## Steps\n- [ ] **One** {#one}\n  - Check: `echo $$ >.git/began; exec sleep 300`\n")
	s.says("next", nil, false)
	write(t, filepath.Join(s.dir, "one.txt"), "1\n")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := s.call(ctx, "done", nil)
		ended <- err
	}()
	began := filepath.Join(s.dir, ".git", "began")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if data, err := os.ReadFile(began); err == nil && len(data) > 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the check never began")
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call has a result")
	}
	if out, err := s.sh("pid=$(cat repo/.git/began); for i in $(seq 600); do kill -0 $pid 2>/dev/null || exit 0; sleep 0.1; done; exit 1"); err != nil {
		t.Errorf("the check still runs: %v\n%s", err, out)
	}
	s.says("status", nil, false, "one")
	if out, _ := s.sh("cd repo && git rev-list --count HEAD"); strings.TrimSpace(out) != "1" {
		t.Errorf("%s commits", out)
	}
}
