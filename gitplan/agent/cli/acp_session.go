package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// offer is what can be chosen in a session, in the two forms that agents have.
type offer struct {
	Options []option `json:"configOptions"`
	Models  struct {
		Current string `json:"currentModelId"`
		All     []struct {
			ID string `json:"modelId"`
		} `json:"availableModels"`
	} `json:"models"`
}

type option struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Current  string          `json:"currentValue"`
	Choices  json.RawMessage `json:"options"`
}

// values returns what can be chosen: a list of values, or of groups of them.
func (o option) values() (out []string) {
	var list []struct {
		Value   string `json:"value"`
		Options []struct {
			Value string `json:"value"`
		} `json:"options"`
	}
	readLine(o.Choices, &list)
	for _, c := range list {
		if c.Value != "" {
			out = append(out, c.Value)
		}
		for _, v := range c.Options {
			out = append(out, v.Value)
		}
	}
	return out
}

// of returns the option of a category; false if there is none.
func (o offer) of(category string) (option, bool) {
	i := slices.IndexFunc(o.Options, func(o option) bool { return o.Category == category })
	if i < 0 {
		return option{}, false
	}
	return o.Options[i], true
}

// model returns the model that the session has.
func (o offer) model() string {
	if m, ok := o.of("model"); ok {
		return m.Current
	}
	return o.Models.Current
}

// choose asks for the model and the effort that are wanted, and then goes on to the prompt. An
// effort that the agent does not have is left out, as it is with other agents; a model is not.
func (c *acpClient) choose(o offer) {
	effort := func() {
		m, ok := o.of("thought_level")
		if !ok || c.options.Effort == "" || !slices.Contains(m.values(), c.options.Effort) {
			c.prompt(c.options.Prompt)
			return
		}
		c.set(m.ID, c.options.Effort, func(json.RawMessage, *acpFault) { c.prompt(c.options.Prompt) })
	}
	want := c.options.Model
	if want == "" || want == o.model() {
		effort()
		return
	}
	chosen := func(_ json.RawMessage, fault *acpFault) {
		if fault != nil {
			c.failed(fault)
			return
		}
		c.end.Model = want
		effort()
	}
	if m, ok := o.of("model"); ok {
		if has := m.values(); !slices.Contains(has, want) {
			c.wrong(noModel(want, has))
			return
		}
		c.set(m.ID, want, chosen)
		return
	}
	var has []string
	for _, m := range o.Models.All {
		has = append(has, m.ID)
	}
	if !slices.Contains(has, want) {
		c.wrong(noModel(want, has))
		return
	}
	c.ask(mModel, map[string]string{"sessionId": c.session, "modelId": want}, chosen)
}

func (c *acpClient) set(id, value string, then func(json.RawMessage, *acpFault)) {
	c.ask(mOption, map[string]string{"sessionId": c.session, "configId": id, "value": value}, then)
}

func noModel(want string, has []string) string {
	if len(has) == 0 {
		return "it lets nobody choose a model, so model " + want + " is not to be had: name it in the agent's command or in its own settings"
	}
	return "it has no model " + want + ", but " + strings.Join(has[:min(len(has), 20)], ", ")
}

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
func (c *acpClient) stoppedByRefusal() bool {
	if !c.refused || c.stopped || c.resumed >= maxResumed || c.options.Answered == nil || c.options.Answered() {
		return false
	}
	return c.end.Stop == "end_turn" || c.end.Stop == "cancelled"
}

func (o acpOptions) allows(kind string) bool {
	return slices.Contains(reading, kind) || o.Writes && slices.Contains(writing, kind)
}

// permission answers whether a call may go on: for this once. An agent that offers no such answer
// hears that the question was cancelled.
func (c *acpClient) permission(params json.RawMessage) json.RawMessage {
	var q struct {
		Session string `json:"sessionId"`
		Call    call   `json:"toolCall"`
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	cancelled := raw(map[string]any{"outcome": map[string]string{"outcome": "cancelled"}})
	if !readLine(params, &q) || c.session == "" || q.Session != c.session || c.stopped {
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

// acpEvent is something that an agent reports of its session.
type acpEvent struct {
	Kind acpEventKind
	ID   string // of a call and its answer
	Tool string
	Text string // what is said, the call in short, its answer
}

// acpEventKind is what kind of event it is.
type acpEventKind int

// The events.
const (
	acpSaid     acpEventKind = iota // a piece of what the model says
	acpThought                      // a piece of what it thinks
	acpCalled                       // a tool begins
	acpAnswered                     // a tool has ended
	acpAlive                        // anything else
	acpResumed                      // the agent is asked to go on: what it said so far was no answer
	acpEnded                        // the session has ended
)

// maxACPCalls bounds how many calls of a session are known by their kind.
const maxACPCalls = 10_000

type update struct {
	Session string `json:"sessionId"`
	Update  struct {
		What    string          `json:"sessionUpdate"`
		Content json.RawMessage `json:"content"` // of a message one block, of a call a list
		call
		Cost *cost `json:"cost"`
	} `json:"update"`
}

// call is a call of a tool, or what is new of one.
type call struct {
	ID     string          `json:"toolCallId"`
	Title  string          `json:"title"`
	Kind   string          `json:"kind"`
	Status string          `json:"status"`
	In     json.RawMessage `json:"rawInput"`
	Out    json.RawMessage `json:"rawOutput"`
}

// block is a piece of content: a text, or what holds one.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Path    string          `json:"path"`
	Content json.RawMessage `json:"content"`
}

func (c *acpClient) update(params json.RawMessage) {
	var u update
	if !readLine(params, &u) || c.session == "" || u.Session != c.session {
		return
	}
	if u.Update.Cost != nil {
		c.end.used.spent(*u.Update.Cost)
	}
	if c.end.Over {
		return
	}
	say := func(k acpEventKind, text string) { c.events = append(c.events, acpEvent{Kind: k, Text: text}) }
	switch u.Update.What {
	case "agent_message_chunk":
		say(acpSaid, textOf(u.Update.Content))
	case "agent_thought_chunk":
		say(acpThought, textOf(u.Update.Content))
	case "tool_call", "tool_call_update":
		c.called(u.Update.call, u.Update.Content)
	default:
		say(acpAlive, "")
	}
}

// called reports a call when it is first heard of, and its answer when it has one.
func (c *acpClient) called(t call, content json.RawMessage) {
	if t.ID == "" || len(t.ID) > maxID {
		return
	}
	c.heard(t)
	if t.Status == "completed" || t.Status == "failed" {
		text := textOf(content)
		if text == "" {
			text = textOf(t.Out)
		}
		if text == "" {
			text = string(t.Out)
		}
		c.events = append(c.events, acpEvent{Kind: acpAnswered, ID: t.ID, Text: text})
		return
	}
	c.events = append(c.events, acpEvent{Kind: acpAlive})
}

// heard reports a call that was not heard of before, and keeps its kind.
func (c *acpClient) heard(t call) {
	c.end.Called = true
	if len(t.Kind) > maxID {
		t.Kind = ""
	}
	if known, ok := c.kinds[t.ID]; ok && (known != "" || t.Kind == "") || len(c.kinds) >= maxACPCalls {
		return
	} else if c.kinds[t.ID] = t.Kind; ok {
		return
	}
	tool, text := t.Kind, t.Title
	if tool == "" {
		tool = "tool"
	}
	if in := string(t.In); in != "" && in != "{}" && in != "null" {
		text = strings.TrimSpace(text + " " + in)
	}
	c.events = append(c.events, acpEvent{Kind: acpCalled, ID: t.ID, Tool: tool, Text: text})
}

// textOf returns the texts of content: a string, a block, or a list of blocks.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []block
	if !strings.HasPrefix(strings.TrimSpace(string(content)), "[") {
		blocks = make([]block, 1)
		readLine(content, &blocks[0])
	} else {
		readLine(content, &blocks)
	}
	var b strings.Builder
	for _, k := range blocks {
		var in block
		readLine(k.Content, &in)
		b.WriteString(k.Text + in.Text)
		if k.Type == "diff" {
			b.WriteString("changed " + k.Path + "\n")
		}
	}
	return b.String()
}

// acpUsage is what a session used, as far as the agent says.
type acpUsage struct {
	tokens agent.Tokens
	known  bool // whether it says anything of tokens
	cost   agent.Cost
}

// counts are the tokens of an answer. Agents differ in whether the input holds what the cache had,
// and the output what was thought (measured): the total says which it is.
type counts struct {
	In      int64 `json:"inputTokens"`
	Out     int64 `json:"outputTokens"`
	Read    int64 `json:"cachedReadTokens"`
	Written int64 `json:"cachedWriteTokens"`
	Thought int64 `json:"thoughtTokens"`
	Total   int64 `json:"totalTokens"`
}

// metaUsage is what gemini reports instead.
type metaUsage struct {
	Quota struct {
		Count *struct {
			In  int64 `json:"input_tokens"`
			Out int64 `json:"output_tokens"`
		} `json:"token_count"`
	} `json:"quota"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// take adds what the answer to a prompt reports.
func (u *acpUsage) take(n *counts, m metaUsage) {
	switch count := m.Quota.Count; {
	case n != nil && n.In+n.Out > 0:
		t := agent.Tokens{In: n.In, Cached: n.Read, Written: n.Written, Out: n.Out}
		cached := n.Read + n.Written
		switch n.Total - n.In - n.Out {
		case cached:
			t.In += cached
		case n.Thought:
			t.Out += n.Thought
		case cached + n.Thought:
			t.In, t.Out = t.In+cached, t.Out+n.Thought
		}
		u.tokens, u.known = u.tokens.Add(t.Believed()), true
	case count != nil && count.In+count.Out > 0:
		u.tokens, u.known = u.tokens.Add(agent.Tokens{In: count.In, Out: count.Out}.Believed()), true
	}
}

// spent takes what the session cost so far; other money than dollars is not counted.
func (u *acpUsage) spent(c cost) {
	if c.Currency == "USD" && c.Amount > 0 {
		u.cost = agent.Cost{USD: c.Amount, Known: true}
	}
}
