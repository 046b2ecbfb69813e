package acp

import (
	"encoding/json"
	"strings"
)

// Event is something that an agent reports of its session.
type Event struct {
	Kind EventKind
	ID   string // of a call and its answer
	Tool string
	Text string // what is said, the call in short, its answer
}

// EventKind is what kind of event it is.
type EventKind int

// The events.
const (
	Said     EventKind = iota // a piece of what the model says
	Thought                   // a piece of what it thinks
	Called                    // a tool begins
	Answered                  // a tool has ended
	Alive                     // anything else
	Resumed                   // the agent is asked to go on: what it said so far was no answer
	Ended                     // the session has ended
)

// maxCalls bounds how many calls of a session are known by their kind.
const maxCalls = 10_000

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

func (c *Client) update(params json.RawMessage) {
	var u update
	if !readable(params, &u) || c.session == "" || u.Session != c.session {
		return
	}
	if u.Update.Cost != nil {
		c.end.spent(*u.Update.Cost)
	}
	if c.end.Over {
		return
	}
	say := func(k EventKind, text string) { c.events = append(c.events, Event{Kind: k, Text: text}) }
	switch u.Update.What {
	case "agent_message_chunk":
		say(Said, textOf(u.Update.Content))
	case "agent_thought_chunk":
		say(Thought, textOf(u.Update.Content))
	case "tool_call", "tool_call_update":
		c.called(u.Update.call, u.Update.Content)
	default:
		say(Alive, "")
	}
}

// called reports a call when it is first heard of, and its answer when it has one.
func (c *Client) called(t call, content json.RawMessage) {
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
		c.events = append(c.events, Event{Kind: Answered, ID: t.ID, Text: text})
		return
	}
	c.events = append(c.events, Event{Kind: Alive})
}

// heard reports a call that was not heard of before, and keeps its kind.
func (c *Client) heard(t call) {
	c.end.Called = true
	if len(t.Kind) > maxID {
		t.Kind = ""
	}
	if known, ok := c.kinds[t.ID]; ok && (known != "" || t.Kind == "") || len(c.kinds) >= maxCalls {
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
	c.events = append(c.events, Event{Kind: Called, ID: t.ID, Tool: tool, Text: text})
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
		readable(content, &blocks[0])
	} else {
		readable(content, &blocks)
	}
	var b strings.Builder
	for _, k := range blocks {
		var in block
		readable(k.Content, &in)
		b.WriteString(k.Text + in.Text)
		if k.Type == "diff" {
			b.WriteString("changed " + k.Path + "\n")
		}
	}
	return b.String()
}
