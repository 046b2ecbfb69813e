package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// wish is what a person asks their own agent to do.
const wish = "Do the next step of the plan."

// asPerson is how a person starts each command line for one request, with permission for what it would
// otherwise ask. Codex stays in its sandbox.
var asPerson = map[string][]string{
	"claude":   {"-p", wish, "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write,Read,Skill,mcp__git-plan"},
	"codex":    {"exec", wish, "-c", `sandbox_mode="workspace-write"`},
	"gemini":   {"-p", wish, "--approval-mode", "yolo", "--skip-trust"},
	"opencode": {"run", "--auto", wish},
}

// TestOwnAgents plays testdata/agents/own with the real command lines: a person asks an agent for the next
// step, and it has the skill or the server. Run it with `WHICH=own make agents`.
func TestOwnAgents(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("pages", "gitplan-agents.7.md"))
	if err != nil {
		t.Fatal(err)
	}
	servers := map[string]string{} // the manual's lines
	for _, m := range regexp.MustCompile(`(?m)^(\w+) (mcp add .*)$`).FindAllStringSubmatch(string(page), -1) {
		servers[m[1]] = m[2]
	}
	eachAgent(t, func(t *testing.T, c commandLine, table *outcomes) {
		if asPerson[c.name] == nil || c.acp {
			return
		}
		c.play(t, table, "own", map[string]func(*testscript.TestScript, bool, []string){
			"person-asks": func(ts *testscript.TestScript, _ bool, args []string) {
				profile := "export PATH='" + ts.Getenv("PATH") + "'\n" // codex starts a login shell for each command
				ts.Check(os.WriteFile(filepath.Join(ts.Getenv("HOME"), ".bash_profile"), []byte(profile), 0o644))
				ts.Check(ts.Exec(c.program, slices.Concat(asPerson[c.name], args)...))
			},
			"add-server": func(ts *testscript.TestScript, _ bool, _ []string) {
				if servers[c.name] == "" {
					ts.Fatalf("gitplan-agents(7) does not say how %s is given the server", c.name)
				}
				ts.Check(ts.Exec(c.program, strings.Fields(servers[c.name])...))
			},
		})
	})
}
