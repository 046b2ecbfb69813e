package acp

import (
	"encoding/json"
	"slices"
)

// The kinds of tools that a session may use. What leads out of the tree (fetch), changes the rules
// (switch_mode) or has no kind that is known here is refused.
var (
	reading = []string{"read", "search", "think"}
	writing = []string{"edit", "delete", "move", "execute"}
)

// Some agents end their turn when a call is refused, and the model does not hear of it (copilot, and qwen from
// 0.24 on). They are asked to go on, in the same session: that gives no permission.
const (
	maxResumed = 10
	withoutIt  = "That tool call was refused: this session may not use such a tool. Continue without it, and finish as you were asked to."
)

// stoppedByRefusal reports whether the turn ended without an answer after a call was refused, and the agent can
// still be asked to go on.
func (c *Client) stoppedByRefusal() bool {
	if !c.refused || c.stopped || c.end.Failed != nil || c.resumed >= maxResumed || c.options.Answered == nil || c.options.Answered() {
		return false
	}
	return c.end.Stop == "end_turn" || c.end.Stop == "cancelled"
}

func (o Options) allows(kind string) bool {
	return slices.Contains(reading, kind) || o.Writes && slices.Contains(writing, kind)
}

// permission answers whether a call may go on: for this once. An agent that offers no such answer
// hears that the question was cancelled.
func (c *Client) permission(params json.RawMessage) json.RawMessage {
	var q struct {
		Session string `json:"sessionId"`
		Call    call   `json:"toolCall"`
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	cancelled := raw(map[string]any{"outcome": map[string]string{"outcome": "cancelled"}})
	if !readable(params, &q) || c.session == "" || q.Session != c.session || c.stopped {
		return cancelled
	}
	if q.Call.ID != "" && len(q.Call.ID) <= maxID {
		c.heard(q.Call)
	}
	kind, answer := q.Call.Kind, "allow_once"
	if kind == "" {
		kind = c.kinds[q.Call.ID]
	}
	if !c.options.allows(kind) {
		answer = "reject_once"
		c.refused, c.end.Refused = true, kind
		if kind == "" {
			c.end.Refused = "of an unknown kind"
		}
	}
	for _, o := range q.Options {
		if o.Kind == answer && len(o.ID) <= maxID {
			return raw(map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": o.ID}})
		}
	}
	return cancelled
}
