package builtin

import (
	"context"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
)

// Replay is the built-in agent with a recorded conversation in place of a
// model: same client, same wire, same tools. [NewReplay] makes one.
type Replay struct {
	*script.Server
	agent *Agent
}

// defaultWait is what plan.waitOnLimit defaults to.
const defaultWait = 10 * time.Minute

// NewReplay starts a server for a recording (see [script.Script]) and an agent that
// talks to it. Close ends the server.
func NewReplay(name, recording string) (*Replay, error) {
	sc, err := script.Read(recording)
	if err != nil {
		return nil, err
	}
	server, err := script.Serve(sc)
	if err != nil {
		return nil, err
	}
	a, err := New(Agent{Model: "recorded",
		Endpoint: wire.Endpoint{AgentName: name, BaseURL: server.URL(), Wait: defaultWait, FirstDelay: 20 * time.Millisecond}})
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	return &Replay{Server: server, agent: a}, nil
}

// Name implements [agent.Agent].
func (r *Replay) Name() string { return r.agent.AgentName }

// FullPrompt implements [agent.Agent].
func (r *Replay) FullPrompt(s agent.Session) string { return r.agent.FullPrompt(s) }

// MayWrite implements [agent.Agent].
func (r *Replay) MayWrite() bool { return false }

// Run implements [agent.Agent]. Model and effort of the session name a real model,
// so they are left out.
func (r *Replay) Run(ctx context.Context, s agent.Session) agent.Result {
	s.Model, s.Effort = "", ""
	return r.agent.Run(ctx, s)
}
