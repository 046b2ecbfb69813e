package builtin

import (
	"cmp"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
)

// Agent is the built-in agent, with any OpenAI-compatible endpoint as the model. [New] makes one.
type Agent struct {
	Endpoint      model.Endpoint
	Model, Effort string // the defaults for sessions that name none
	Price         agent.Price

	recorded *script.Server // the server of a recording; nil for a real model
}

// New checks o and fills in defaults. The error never contains the key.
func New(o Agent) (*Agent, error) {
	o.Endpoint.AgentName = cmp.Or(o.Endpoint.AgentName, "openai")
	return &o, o.Endpoint.Open()
}

func (a *Agent) Name() string                      { return a.Endpoint.AgentName }
func (a *Agent) FullPrompt(s agent.Session) string { return withEndings(s).Text() }
func (a *Agent) MayWrite() bool                    { return false }

// withEndings returns the prompt of a session, with the tools by which it ends.
func withEndings(s agent.Session) agent.Prompt {
	text := fmt.Sprintf("- Call `finish`, alone or behind your last edits. With \"done\" it runs the commands under "+
		"\"Checks\"; if one fails you get its output and go on here. You have %d such calls.\n", 1+maxRefused)
	switch s.Role {
	case agent.Planner:
		text = fmt.Sprintf("- Call `submit_plan` with the whole plan. If something is wrong with it, you read what, "+
			"and go on here: you have %d calls of it.\n", 1+maxRefused)
		if s.Ask != nil {
			text += "- You may ask a person before you plan: call `ask`.\n"
		}
	case agent.Critic, agent.Reviewer:
		text = "- Call `submit_review` with your answer: `findings` is [] if nothing is wrong, which is a good answer.\n"
	case agent.Verifier:
		text = "- Call `submit_answers` with an answer for each finding.\n"
	}
	p := s.Prompt
	p.System += "\nHow to end here\n" + text
	return p
}

// NewReplay returns the agent with a server of its own, which plays a recording in place of a model.
func NewReplay(name, recording string) (*Agent, error) {
	sc, err := script.Read(recording)
	if err != nil {
		return nil, err
	}
	server, err := script.Serve(sc)
	if err != nil {
		return nil, err
	}
	return New(Agent{Model: "recorded", recorded: server, Endpoint: model.Endpoint{AgentName: name,
		BaseURL: server.URL(), Wait: 30 * time.Minute, FirstDelay: 20 * time.Millisecond}})
}
