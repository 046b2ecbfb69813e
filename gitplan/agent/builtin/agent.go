package builtin

import (
	"context"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
)

// Agent is the built-in agent, with any OpenAI-compatible endpoint as the model. [New] makes one.
type Agent struct {
	Endpoint      model.Endpoint
	Model, Effort string // if the session names none
	Price         agent.Price
}

// Replay is the built-in agent with a recorded conversation in place of a model.
type Replay struct {
	agent  *Agent
	server *script.Server
}

// New checks o and fills in what is zero. The error never contains the key.
func New(o Agent) (*Agent, error) {
	if o.Endpoint.AgentName == "" {
		o.Endpoint.AgentName = "openai"
	}
	if err := o.Endpoint.Open(); err != nil {
		return nil, fmt.Errorf("agent %s: %w", o.Endpoint.AgentName, err)
	}
	return &o, nil
}

func (o *Agent) Name() string { return o.Endpoint.AgentName }

func (o *Agent) FullPrompt(s agent.Session) string { return prompted(s).Text() }

func (o *Agent) MayWrite() bool { return false }

// prompted returns the prompt of a session with how it ends here.
func prompted(s agent.Session) agent.Prompt {
	p := s.Prompt
	p.System += "\nHow to end here\n" + howToEnd(s.Role)
	return p
}

// howToEnd returns how a session of a role ends.
func howToEnd(role agent.Role) string {
	switch role {
	case agent.Planner:
		return fmt.Sprintf("- Call `submit_plan` with the whole plan. If something is wrong with it, you read what, and go on here: you have %d calls of it.\n", 1+maxRefused) +
			"- If you have the tool `ask`, you may ask a person before you plan.\n"
	case agent.Critic, agent.Reviewer:
		return "- Call `submit_review` with your answer; print none.\n"
	case agent.Verifier:
		return "- Call `submit_answers` with your answer; print none.\n"
	}
	return fmt.Sprintf("- Call `finish` as the only call of a turn. With \"done\" it runs the commands under \"Checks\"; if one fails you get its output and go on here. You have %d such calls.\n", 1+maxRefused)
}

// defaultWait is what plan.waitOnLimit defaults to.
const defaultWait = 10 * time.Minute

// NewReplay starts a server for a recording, and an agent that talks to it.
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
		Endpoint: model.Endpoint{AgentName: name, BaseURL: server.URL(), Wait: defaultWait, FirstDelay: 20 * time.Millisecond}})
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	return &Replay{agent: a, server: server}, nil
}

func (r *Replay) Name() string { return r.agent.Name() }

func (r *Replay) FullPrompt(s agent.Session) string { return r.agent.FullPrompt(s) }

func (r *Replay) MayWrite() bool { return false }

// Run implements [agent.Agent]. Model and effort of the session are those of a real model.
func (r *Replay) Run(ctx context.Context, s agent.Session) agent.Result {
	s.Model, s.Effort = "", ""
	return r.agent.Run(ctx, s)
}
