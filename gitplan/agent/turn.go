package agent

import (
	"context"
	"time"
)

// turn asks the model for the next turn.
func (c *conversation) turn(ctx context.Context) (turn, error) {
	q := request{model: c.model, effort: c.effort, cacheKey: c.s.Plan, messages: c.messages}
	for _, t := range c.tools {
		q.tools = append(q.tools, wireTool{t.name, t.about, t.schema()})
	}
	return c.agent.Ask(ctx, q, hearer{
		said:    func(line string) { c.tell(Event{Kind: SaidText, Text: line}) },
		beat:    c.life.beat,
		adapted: func(note string) { c.log.write(record{Waiting: note}) },
		waits: func(why string, d time.Duration) {
			c.tell(Event{Kind: Waiting, Text: why, Wait: d})
			c.log.write(record{Waiting: why})
			c.life.hold(d)
		},
	})
}
