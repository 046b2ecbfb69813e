package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The kinds of tools that a session may use: none that leads out of the tree (fetch) or changes the rules.
var (
	reading = []string{"read", "search", "think"}
	writing = []string{"edit", "delete", "move", "execute"}
)

// permission answers whether a call may run, this once; "cancelled" if the agent offers no such answer.
func (a *acpStream) permission(params json.RawMessage) json.RawMessage {
	var q struct {
		Session string `json:"sessionId"`
		Call    call   `json:"toolCall"`
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	cancelled := json.RawMessage(`{"outcome":{"outcome":"cancelled"}}`)
	if !readLine(params, &q) || a.id == "" || q.Session != a.id || a.cancelled {
		return cancelled
	}
	a.began(q.Call)
	kind, answer := cmp.Or(q.Call.Kind, a.kinds[q.Call.ID]), "allow_once"
	if !slices.Contains(reading, kind) && !(a.state.session.Role.Writes() && slices.Contains(writing, kind)) {
		answer = "reject_once"
		a.declined, a.refused = true, cmp.Or(kind, "of an unknown kind")
	}
	for _, o := range q.Options {
		if o.Kind == answer && len(o.ID) <= maxID {
			return raw(map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": o.ID}})
		}
	}
	return cancelled
}

func (a *acpStream) update(params json.RawMessage) {
	var u struct {
		Session string `json:"sessionId"`
		Update  struct {
			What    string          `json:"sessionUpdate"`
			Content json.RawMessage `json:"content"` // a block of a message, or a list of a call
			call
			Cost struct {
				Amount   float64 `json:"amount"`
				Currency string  `json:"currency"`
			} `json:"cost"`
		} `json:"update"`
	}
	if !readLine(params, &u) || a.id == "" || u.Session != a.id {
		return
	}
	if c := u.Update.Cost; c.Currency == "USD" && c.Amount > 0 { // the cost of the session so far
		a.cost = agent.Cost{USD: c.Amount, Known: true}
	}
	if a.over {
		return
	}
	switch u.Update.What {
	case "agent_message_chunk":
		a.state.output()
		a.state.said(agent.TextIn(u.Update.Content))
	case "agent_thought_chunk":
		a.state.output()
		a.state.alive()
	case "tool_call", "tool_call_update":
		t := u.Update.call
		switch begun := a.began(t); {
		case begun && (t.Status == "completed" || t.Status == "failed"):
			a.state.answered(t.ID, cmp.Or(agent.TextIn(u.Update.Content), agent.TextIn(t.Out), string(t.Out)))
		case begun:
			a.state.alive()
		}
	default: // a sign of life
		a.state.alive()
	}
}

// began reports a call when it is first named, and keeps its kind; false without a valid id.
func (a *acpStream) began(t call) bool {
	if t.ID == "" || len(t.ID) > maxID {
		return false
	}
	t.Kind = visible.Cut(t.Kind, maxID)
	known, ok := a.kinds[t.ID]
	if known == "" && (ok || len(a.kinds) < maxKinds) {
		a.kinds[t.ID] = t.Kind
	}
	if ok || len(a.kinds) >= maxKinds {
		return true
	}
	tool, text := cmp.Or(t.Kind, "tool"), t.Title
	if in := string(t.In); in != "" && in != "{}" && in != "null" {
		text = strings.TrimSpace(text + " " + in)
	}
	a.state.output()
	a.state.called(t.ID, tool, text)
	return true
}

func (a *acpStream) end(code int, stderr string) ending {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.ended
	switch {
	case a.over:
	case a.started:
		e = e.unsaid(code, stderr, true)
	default:
		e = e.withStatus(agent.Unusable, fmt.Sprintf("it ended (exit code %d) without a word of the Agent Client Protocol%s",
			code, agent.LastLine(stderr)))
	}
	e.cost = a.cost
	if e.tokens = a.state.tokens; a.lastOnly && e.tokens != (agent.Tokens{}) {
		e.tokens.Unreported = max(0, int64(a.state.turns)-1)
	}
	if a.refused != "" {
		e.note = "a tool was refused, which this role may not use: " + agent.OneLine(a.refused, 80)
	}
	return e
}

// endOfTurn returns how a turn ends the session. Some programs end it as usual if the provider refused them (measured).
func (a *acpStream) endOfTurn(stop string) ending {
	e := ending{last: a.state.last.String()}
	switch stop {
	case "end_turn":
		if !ends(e.last, a.state.session.Nonce) && len(a.kinds) == 0 && a.state.tokens == (agent.Tokens{}) {
			return e.withStatus(agent.Unreachable,
				"it ended its turn without an answer, a call of a tool or any usage"+agent.LastLine(e.last))
		}
		return e
	case "refusal":
		return e.withStatus(agent.Blocked, "the model refuses to continue this conversation")
	case "max_tokens":
		return e.cut("its answer was cut off at the model's output limit")
	case "max_turn_requests":
		return e.cut("all its turns are used and the session did not finish")
	case "cancelled":
		return e.withStatus(agent.Failed, "it was cancelled, and not by git plan")
	}
	return e.withStatus(agent.Failed, "it ended its turn for an unknown reason: "+agent.OneLine(stop, 80))
}
