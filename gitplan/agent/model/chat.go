package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// object is a JSON object of a request; its members are written in the order of their names.
type object = map[string]any

// chatBody returns a request of the chat-completions API, with what every compatible server takes.
func chatBody(q Request) any {
	thinks := slices.ContainsFunc(q.Messages, func(m Message) bool { return m.echo["reasoning_content"] != nil })
	messages := make([]object, 0, len(q.Messages))
	for _, m := range q.Messages {
		messages = append(messages, m.chat(q.mark, thinks))
	}
	body := object{"model": q.Model, "messages": messages, "stream": true}
	var tools []object
	for _, t := range q.Tools {
		tools = append(tools,
			object{"type": "function", "function": object{"name": t.Name, "description": t.About, "parameters": t.Schema}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	if q.Effort != "" && !slices.Contains(q.without, "reasoning_effort") {
		body["reasoning_effort"] = q.Effort
	}
	if !slices.Contains(q.without, "stream_options") {
		body["stream_options"] = object{"include_usage": true}
	}
	if q.mark == cacheControl { // and of the conversation what there is, for its next turn
		body[cacheControl] = ephemeral
	}
	return body
}

// ephemeral keeps marked content for five minutes after each use.
var ephemeral = map[string]string{"type": "ephemeral"}

// chat returns a message for the chat API. thinks: the model sent reasoning_content, which DeepSeek then requires back.
func (m Message) chat(mark string, thinks bool) object {
	switch {
	case m.Role == "tool":
		return object{"role": m.Role, "content": m.Text, "tool_call_id": m.CallID}
	case m.Role == "assistant":
	case m.Role != "user" || !m.marked(mark):
		return object{"role": m.Role, "content": m.Text}
	default:
		first := object{"type": "text", "text": m.Text[:m.Shared]}
		if mark == breakpoint {
			first[breakpoint] = object{"mode": "explicit"}
		} else {
			first[cacheControl] = ephemeral
		}
		return object{"role": m.Role, "content": []object{first, {"type": "text", "text": m.Text[m.Shared:]}}}
	}
	out := object{"role": m.Role}
	for name, v := range m.echo {
		out[name] = v
	}
	if thinks && out["reasoning_content"] == nil {
		out["reasoning_content"] = ""
	}
	if m.Text != "" || len(m.Calls) == 0 {
		out["content"] = m.Text
	}
	var calls []object
	for _, c := range m.Calls {
		call := object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}}
		for name, v := range c.echo {
			call[name] = v
		}
		calls = append(calls, call)
	}
	if calls != nil {
		out["tool_calls"] = calls
	}
	return out
}

// chatAnswer collects a turn from its chunks.
type chatAnswer struct {
	reported      func(string) // the function that gets the text as it arrives
	size          int          // the size so far, in bytes
	text, refusal strings.Builder
	finish        string
	calls         []*callParts
	thoughts      map[string]*strings.Builder // reasoning_content, reasoning
	details       []json.RawMessage           // reasoning_details
	tokens        agent.Tokens
	cost          agent.Cost
}

func (a *chatAnswer) event(data []byte) error {
	var c struct { // one event, or the whole body of a server that does not stream
		Choices []struct {
			Delta        map[string]json.RawMessage
			Message      map[string]json.RawMessage
			FinishReason json.RawMessage `json:"finish_reason"`
			Error        json.RawMessage
		}
		Usage   *counted
		Error   json.RawMessage
		Object  string
		Message json.RawMessage // the message of vLLM's flat error, whose object is "error"
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return &Fault{kind: faultProtocol, text: "an event cannot be read: " + err.Error()}
	}
	a.reported("")
	if !isNull(c.Error) || c.Object == "error" && !isNull(c.Message) {
		return inBand(data)
	}
	if c.Usage != nil {
		a.tokens, a.cost = c.Usage.usage() // the last counts: some servers send a running total
	}
	for _, ch := range c.Choices {
		if !isNull(ch.Error) {
			return inBand(ch.Error)
		}
		if f := stringOf(ch.FinishReason); f != "" {
			a.finish = f
		}
		fields := ch.Delta
		if fields == nil {
			fields = ch.Message
		}
		a.delta(fields)
	}
	switch {
	case a.size > maxSaid:
		return tooLarge("the answer", maxSaid)
	case a.finish != "":
		return errFinal
	}
	return nil
}

func (a *chatAnswer) delta(fields map[string]json.RawMessage) {
	for k, v := range fields {
		if isNull(v) {
			continue
		}
		a.size += len(v)
		switch k {
		case "content":
			if s := agent.TextIn(v); s != "" {
				a.text.WriteString(s)
				a.reported(s)
			}
		case "refusal":
			a.refusal.WriteString(stringOf(v))
		case "tool_calls":
			var pieces []json.RawMessage
			_ = json.Unmarshal(v, &pieces)
			for _, p := range pieces {
				a.addCall(p)
			}
		case "reasoning_content", "reasoning":
			if a.thoughts[k] == nil {
				a.thoughts[k] = &strings.Builder{}
			}
			a.thoughts[k].WriteString(agent.TextIn(v))
		case "reasoning_details":
			var d []json.RawMessage
			_ = json.Unmarshal(v, &d)
			a.details = append(a.details, d...)
		}
	}
}

// turn returns what arrived.
func (a *chatAnswer) turn(done bool) (Turn, error) {
	t := Turn{Tokens: a.tokens, Cost: a.cost, Refusal: a.refusal.String()}
	t.Message = Message{Role: "assistant", Text: a.text.String(), echo: map[string]json.RawMessage{}}
	for k, b := range a.thoughts {
		t.echo[k], _ = json.Marshal(b.String())
	}
	t.Thoughts = cmp.Or(stringOf(t.echo["reasoning_content"]), stringOf(t.echo["reasoning"]))
	if a.details != nil {
		t.echo["reasoning_details"], _ = json.Marshal(a.details)
	}
	whole := len(a.calls) > 0
	for _, p := range a.calls {
		c := newCall(t.Calls, p.id, p.name, p.args.String())
		c.echo = p.echo
		t.Calls = append(t.Calls, c)
		whole = whole && p.whole()
	}
	if !done && a.finish == "" && !whole {
		return Turn{}, &Fault{kind: faultCut, text: "the stream ended before the answer did"}
	}
	switch strings.ToLower(a.finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		t.Cut = true
	case "content_filter", "safety", "recitation":
		return Turn{}, &Fault{kind: faultFiltered, text: "finish_reason " + a.finish}
	case "error":
		return Turn{}, &Fault{kind: faultServer, text: "the provider reported finish_reason error"}
	}
	// Servers say "stop" with tool calls too, so what arrived decides.
	return t, nil
}
