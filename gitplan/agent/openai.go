package agent

import (
	"context"
	"fmt"
)

// OpenAI is the built-in agent: it holds the conversation itself, with any
// OpenAI-compatible endpoint as the model. [NewOpenAI] makes one.
type OpenAI struct {
	Endpoint
	Model, Effort string // if the session names none
	Price         Price
}

// NewOpenAI checks o and fills what is zero. The error says what is wrong with
// it in words for the person who configured it; it never holds the key.
func NewOpenAI(o OpenAI) (*OpenAI, error) {
	if o.AgentName == "" {
		o.AgentName = "openai"
	}
	if err := o.Open(); err != nil {
		return nil, fmt.Errorf("agent %s: %w", o.AgentName, err)
	}
	return &o, nil
}

// Name implements [Agent].
func (o *OpenAI) Name() string { return o.AgentName }

// Told implements [Agent].
func (o *OpenAI) Told(s Session) string { return s.Prompt.Text() }

// MayWrite implements [Agent].
func (o *OpenAI) MayWrite() bool { return false }

// Run implements [Agent].
func (o *OpenAI) Run(ctx context.Context, s Session) Result {
	defer o.Close()
	c, err := o.converse(s)
	if err != nil {
		return Result{Status: Failed, Reason: oneLine(err.Error(), maxReason), Agent: o.AgentName}
	}
	defer c.work.close()
	return c.run(ctx)
}
