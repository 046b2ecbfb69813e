package cli

import (
	"fmt"
	"path/filepath"
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

// played is a command-line agent that is played by testdata/agents/<name>.
func played(t *testing.T, name string) *Agent {
	t.Helper()
	c, err := New(Agent{AgentName: name, Program: fake(t, name)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestContract: the four programs, one that speaks the Agent Client Protocol, and a command of the
// person's own play what every agent plays.
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
	t.Run("command", func(t *testing.T) {
		t.Parallel()
		contract.Play(t, func(t *testing.T) agent.Agent {
			c, err := NewCommand("mine", fmt.Sprintf("sh '%s'", fake(t, "contract.sh")))
			if err != nil {
				t.Fatal(err)
			}
			return c
		})
	})
}
