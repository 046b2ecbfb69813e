package builtin

import (
	"context"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
)

// turn asks the model for the next turn.
func (c *conversation) turn(ctx context.Context) (wire.Turn, error) {
	q := wire.Request{Model: c.model, Effort: c.effort, Sampling: c.agent.Sampling, CacheKey: c.s.Plan, Messages: c.messages, Force: c.forced}
	for _, t := range c.tools {
		q.Tools = append(q.Tools, wire.Tool{Name: t.Name, About: t.About, Schema: t.Schema()})
	}
	return c.agent.Ask(ctx, q, wire.Hearer{
		Said:    func(line string) { c.report(agent.Event{Kind: agent.SaidText, Text: line}) },
		Beat:    c.life.Beat,
		Adapted: func(note string) { c.log.Write(agent.Record{Waiting: note}) },
		Waits: func(why string, d time.Duration) {
			c.report(agent.Event{Kind: agent.Waiting, Text: why, Wait: d})
			c.log.Write(agent.Record{Waiting: why})
			c.life.Extend(d)
		},
	})
}
