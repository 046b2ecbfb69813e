package builtin

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
)

// Agent is the built-in agent: it holds the conversation itself, with any
// OpenAI-compatible endpoint as the model. [New] makes one.
type Agent struct {
	wire.Endpoint
	Model, Effort string // if the session names none
	Sampling      wire.Sampling
	Price         agent.Price
}

// New checks o and fills in what is zero. The error says what is wrong with it, for the
// person who configured it, and never contains the key.
func New(o Agent) (*Agent, error) {
	if o.AgentName == "" {
		o.AgentName = "openai"
	}
	if err := o.Open(); err != nil {
		return nil, fmt.Errorf("agent %s: %w", o.AgentName, err)
	}
	return &o, nil
}

// Name implements [agent.Agent].
func (o *Agent) Name() string { return o.AgentName }

// FullPrompt implements [agent.Agent].
func (o *Agent) FullPrompt(s agent.Session) string { return prompted(s).Text() }

// MayWrite implements [agent.Agent].
func (o *Agent) MayWrite() bool { return false }
