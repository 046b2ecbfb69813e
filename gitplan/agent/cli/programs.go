package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// known are the command-line agents that are known, in the order in which they are looked for:
// claude says the most in its stream, codex has a sandbox of its own.
var known = []func() dialect{claude, codex, gemini, opencode}

// Names returns the names of the command-line agents that are known.
func Names() (out []string) {
	for _, d := range known {
		out = append(out, d().name)
	}
	return out
}

func dialectOf(name string) (dialect, bool) {
	for _, d := range known {
		if d := d(); d.name == name {
			return d, true
		}
	}
	return dialect{}, false
}

// New checks c, whose AgentName is one of [Names], and fills in what is empty.
func New(c Agent) (*Agent, error) {
	d, ok := dialectOf(c.AgentName)
	if !ok {
		return nil, fmt.Errorf("agent %s is not one of %s", agent.OneLine(c.AgentName, 80), strings.Join(Names(), ", "))
	}
	c.dialect = d
	return c.ready(), nil
}

// ready fills in what is empty.
func (c Agent) ready() *Agent {
	c.Program = cmp.Or(c.Program, c.dialect.name)
	c.Wait = cmp.Or(c.Wait, retryWait)
	c.stay = cmp.Or(c.stay, c.dialect.stay, lingering)
	if c.Versions == nil {
		c.Versions = &Versions{}
	}
	return &c
}

// Find looks for all command-line agents, by the programs that are set for
// them; an empty one is the agent's own name on PATH.
func Find(ctx context.Context, versions *Versions, program func(name string) string) []Found {
	found := make([]Found, len(Names()))
	var all sync.WaitGroup
	for i, name := range Names() {
		all.Go(func() {
			if c, err := New(Agent{AgentName: name, Program: program(name), Versions: versions}); err == nil {
				found[i] = c.Find(ctx)
			}
		})
	}
	all.Wait()
	return found
}
