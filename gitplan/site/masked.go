package site

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Masked is an agent whose words hold no secrets: they become commits, events and reviews, which
// are pushed. What it writes into files is up to the guard.
type Masked struct {
	agent.Agent
	Mask func(string) string
}

func (m Masked) Run(ctx context.Context, s agent.Session) agent.Result {
	accept, ask, on := s.Accept, s.Ask, s.On
	if accept != nil {
		s.Accept = func(ctx context.Context, r agent.Result) error { return accept(ctx, r.Each(m.Mask)) }
	}
	if ask != nil {
		s.Ask = func(questions []agent.Question) ([]string, error) {
			for i := range questions {
				questions[i] = questions[i].Each(m.Mask)
			}
			return ask(questions)
		}
	}
	s.On = func(e agent.Event) {
		e.Text = m.Mask(e.Text)
		on(e)
	}
	return m.Agent.Run(ctx, s).Each(m.Mask)
}

// Masked returns somebody else's text without secrets.
func (s *Site) Masked(text string) string {
	if s.Mask == nil {
		return text
	}
	return s.Mask(text)
}
