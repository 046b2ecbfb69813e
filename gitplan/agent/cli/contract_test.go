package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/testdata/contract"
)

// fake is the absolute path of a program in testdata/agents.
func fake(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../../testdata/agents/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// played is a command-line agent played by testdata/agents/<name>.
func played(t *testing.T, name string) *Agent {
	t.Helper()
	c := New(Agent{AgentName: name, Program: fake(t, name)})
	return c
}

// TestContract: the four programs, and one that speaks the Agent Client Protocol, pass the contract of all
// agents.
func TestContract(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract.Play(t, func(t *testing.T) agent.Agent { return played(t, name) })
		})
	}
	t.Run("acp", func(t *testing.T) {
		t.Parallel()
		contract.Play(t, func(t *testing.T) agent.Agent { return NewACP(Agent{AgentName: "mine", Program: fake(t, "acp")}) })
	})
}

// A program that only echoes its prompt has not answered, in any role.
func TestEchoIsNotAnAnswer(t *testing.T) {
	for _, name := range Names() {
		c := New(Agent{AgentName: name})
		for _, role := range []agent.Role{agent.Planner, agent.Executor, agent.Reviewer, agent.Verifier, agent.Fixer} {
			s := contract.Session(t, role, "done")
			reported := c.FullPrompt(s)
			if !strings.HasPrefix(reported, s.Prompt.Text()) || !strings.Contains(reported, `"nonce": "n0nce"`) {
				t.Errorf("%s %s is sent\n%s", name, role, reported)
			}
			form := reported[:strings.LastIndexByte(reported, '}')+1]
			for _, echo := range []string{reported, form} {
				if got := lastMessage(echo, s); got.Status != agent.Failed {
					t.Errorf("%s: its prompt passes for an answer: %s %q", role, got.Status, got.Answer)
				}
			}
		}
	}
}
