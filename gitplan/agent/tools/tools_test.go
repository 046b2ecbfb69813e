package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// TestAllOfALongOutput: what is left out of a long output can be read later,
// under the same name when it is the same, until the session ends.
func TestAllOfALongOutput(t *testing.T) {
	w := tree(t, nil)
	got := callTool(t, w, "run_command", `{"command":"seq 100000"}`)
	name := regexp.MustCompile(`output:[0-9a-f]{12}`).FindString(got)
	if name == "" || strings.Contains(got, "\n50000\n") {
		t.Fatalf("no name: %s", got)
	}
	if again := callTool(t, w, "run_command", `{"command":"seq 100000"}`); again != got {
		t.Errorf("the same output is shown in another way: %s", again)
	}
	if text := callTool(t, w, "read_file", `{"path":"`+name+`","offset":50000,"limit":1}`); !strings.HasPrefix(text, "50000|50000\n") {
		t.Errorf("read back: %s", text)
	}
	folder := w.outputs.root.Name()
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "0123456789ab")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"output:", "output:000000000000", "output:../now", "output:0123456789ab"} {
		if text := callTool(t, w, "read_file", `{"path":"`+name+`"}`); !strings.HasPrefix(text, "error: there is no output:") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if short := callTool(t, w, "run_command", `{"command":"seq 100"}`); strings.Contains(short, "output:") {
		t.Errorf("it is shown in full: %s", short)
	}
	if huge := callTool(t, w, "run_command", fmt.Sprintf(`{"command":"head -c %d /dev/zero"}`, maxOutput+1)); strings.Contains(huge, "output:") {
		t.Error("a name for what is not kept in full")
	}
	w.Close()
	if _, err := os.Stat(folder); err == nil {
		t.Error("the outputs outlive the session")
	}
}

// TestWindows: tools answer with half as much if the context is small, and read_file with
// more if it is large.
func TestWindows(t *testing.T) {
	w := tree(t, map[string]string{"long.txt": strings.Repeat("line\n", 1000), "wide.txt": strings.Repeat(strings.Repeat("x", 1000)+"\n", 1000)})
	for _, window := range []int{0, smallWindow, smallWindow + 1, largeWindow} {
		w.Window = window
		for args, whole := range map[string]int{
			`read_file {"path":"long.txt","limit":1000}`: 3600,
			`read_file {"path":"wide.txt"}`:              readBytes,
			`search {"pattern":"x"}`:                     31000,
			`run_command {"command":"seq 100000"}`:       proc.DefaultTail,
		} {
			tool, args, _ := strings.Cut(args, " ")
			switch {
			case window == smallWindow:
				whole /= 2
			case window == largeWindow && strings.Contains(args, "long.txt"):
				whole = 9000
			case window == largeWindow && tool == "read_file":
				whole = readBytesLarge
			}
			if n := len(callTool(t, w, tool, args)); n < whole*8/10 || n > whole*11/10+1000 {
				t.Errorf("window %d: %s answers with %d bytes; about %d are wanted", window, tool, n, whole)
			}
		}
	}
}

// TestEditsThatFail: the third is answered with the way out, and a change of the
// file starts over.
func TestEditsThatFail(t *testing.T) {
	w := tree(t, map[string]string{"a": "one\n", "b": "one\n"})
	for range 2 { // after a good edit it counts from the beginning
		for n := 1; n <= failedEdits; n++ {
			callTool(t, w, "edit_file", `{"path":"b","old":"one","new":"one"}`)
			got := callTool(t, w, "edit_file", `{"path":"a","old":"none","new":"x"}`)
			if strings.Contains(got, "write it whole with write_file") != (n == failedEdits) {
				t.Errorf("after %d: %s", n, got)
			}
		}
		callTool(t, w, "read_file", `{"path":"a"}`)
		callTool(t, w, "write_file", `{"path":"a","content":"one\n"}`)
	}
}

// TestReaders: who only reads has no other tools, whatever it calls.
func TestReaders(t *testing.T) {
	for r, want := range map[agent.Role]string{
		agent.Planner:  "read_file list_files search submit_plan finish",
		agent.Reviewer: "read_file list_files search submit_review submit_answers finish",
		agent.Verifier: "read_file list_files search submit_review submit_answers finish",
		agent.Executor: "read_file list_files search write_file edit_file run_command finish",
		agent.Fixer:    "read_file list_files search write_file edit_file run_command finish",
	} {
		var names []string
		for _, tl := range For(r, "claude-sonnet-4.5") {
			names = append(names, tl.Name)
			if strings.TrimSpace(tl.About) == "" {
				t.Errorf("%s has no description", tl.Name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s", r, got)
		}
	}
	for model, want := range map[string]bool{
		"gpt-5.6": true, "openai/gpt-5.6-mini": true, "gpt-4.1": true, "gpt-oss-120b": true, "codex-mini-latest": true, "openai/gpt-5-codex": true,
		"gpt-4o": false, "gpt-3.5-turbo": false, "claude-sonnet-4.5": false, "chatgpt-like": false, "qwen3-coder": false, "": false,
	} {
		if _, err := Named(For(agent.Executor, model), "apply_patch"); (err == nil) != want {
			t.Errorf("apply_patch for %s: %v", model, err)
		}
		if _, err := Named(For(agent.Reviewer, model), "apply_patch"); err == nil {
			t.Errorf("a reviewer with %s has apply_patch", model)
		}
	}
}
