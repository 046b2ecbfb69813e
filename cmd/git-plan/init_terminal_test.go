//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// Whoever has no agent but a model server is asked for it, once, and can begin.
func TestInitAsksForAModelServer(t *testing.T) {
	race.Skip(t)
	repo := begun(t, 0)
	runGit(t, repo, "config", "--global", "--unset", "plan.agent")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	s := terminalIn(t, repo, 80, "OPENAI_API_KEY=")
	s.runs("PATH=" + filepath.Dir(built(t)) + ":" + filepath.Dir(git) + " git plan init; echo over")
	s.until(`(?s)^A model server of yours, as URL and MODEL\? \(Enter: none\) *\n*\z`)
	s.types("http://127.0.0.1:9/v1 qwen", "Enter")
	s.ever(`^set in this repository: git config plan.agent local$`)
	s.ever(`^agent +local \(plan.agent\)$`)
	s.until(`(?s)git plan hooks install\n.*^Do that\? \[y/N\] *\n*\z`)
	s.types("", "Enter")
	s.until(`^next: git plan "what you want"\n(.*\n)*over$`)
	if got := runGit(t, repo, "config", "planAgent.local.baseURL"); got != "http://127.0.0.1:9/v1\n" {
		t.Errorf("the address is %q", got)
	}
}
