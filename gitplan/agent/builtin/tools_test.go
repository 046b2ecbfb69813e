package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// TestWindows: tools answer with half as much if the context is small, and read_file with more if it is
// large.
func TestWindows(t *testing.T) {
	w := tree(t, map[string]string{"long.txt": strings.Repeat("line\n", 1000), "wide.txt": strings.Repeat(strings.Repeat("x", 1000)+"\n", 1000)})
	for _, window := range []int{0, smallWindow, smallWindow + 1, largeWindow} {
		w.window = window
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

// TestReaders: a read-only role has only reading tools, whatever it calls.
func TestReaders(t *testing.T) {
	for r, want := range map[agent.Role]string{
		agent.Planner:  "read_file list_files search submit_plan finish",
		agent.Reviewer: "read_file list_files search submit_review submit_answers finish",
		agent.Verifier: "read_file list_files search submit_review submit_answers finish",
		agent.Executor: "read_file list_files search write_file edit_file run_command finish",
		agent.Fixer:    "read_file list_files search write_file edit_file run_command finish",
	} {
		var names []string
		for _, tl := range toolsOf(agent.Session{Role: r}) {
			names = append(names, tl.Name)
			if strings.TrimSpace(tl.About) == "" {
				t.Errorf("%s has no description", tl.Name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s", r, got)
		}
	}
}

// tools.json can be read, each tool in it is implemented, and the numbers that it tells the model are right.
func TestDescriptions(t *testing.T) {
	file := json.NewDecoder(bytes.NewReader(toolsJSON))
	file.DisallowUnknownFields()
	if err := file.Decode(&[]tool{}); err != nil {
		t.Fatal(err)
	}
	about := map[string]string{}
	for _, r := range []agent.Role{agent.Planner, agent.Critic, agent.Executor, agent.Reviewer, agent.Verifier, agent.Fixer} {
		for _, tl := range toolsOf(agent.Session{Role: r, Ask: func([]agent.Question) ([]string, error) { return nil, nil }}) {
			if (tl.Run == nil) == (tl.End == nil) {
				t.Errorf("%s must do something, or end the session", tl.Name)
			}
			schema, _ := json.Marshal(schemaOf(tl.Args))
			about[tl.Name] = tl.About + string(schema)
		}
	}
	for name, number := range map[string]string{
		"list_files":  fmt.Sprintf("default %d", listDepth),
		"search":      fmt.Sprintf("at most %d lines", searchHits),
		"run_command": fmt.Sprintf("default %d, at most %d", commandTime, commandTimeMax),
		"ask":         fmt.Sprintf("at most %d", agent.MaxQuestions),
	} {
		if !strings.Contains(about[name], number) {
			t.Errorf("%s is not described by %q: %s", name, number, about[name])
		}
	}
}
