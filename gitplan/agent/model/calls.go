package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// callBuffer puts tool calls together from the pieces of a stream. OpenAI
// numbers the pieces by index and names each call by an id; other servers leave
// out either or both, give every call the index 0, repeat the name in each
// piece, or send the arguments as an object.
type callBuffer struct {
	parts   []*callParts
	byIndex map[int64]*callParts
}

// maxParts bounds the calls of one turn that are put together at all.
const maxParts = 8 * agent.MaxCalls

// callParts is a call of which pieces have come.
type callParts struct {
	id, name string
	args     growing
	echo     map[string]json.RawMessage
}

// whole reports whether the arguments are complete.
func (c *callParts) whole() bool { return json.Valid(c.args.b.Bytes()) }

// piece is one element of delta.tool_calls.
type piece struct {
	id, name string
	index    *int64
	args     string
	object   bool // the arguments came as an object
	echo     map[string]json.RawMessage
}

func readPiece(raw json.RawMessage) (piece, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return piece{}, false
	}
	var fn struct {
		Name      json.RawMessage
		Arguments json.RawMessage
	}
	_ = json.Unmarshal(fields["function"], &fn)
	p := piece{id: plain(fields["id"]), name: plain(fn.Name)}
	if v := fields["index"]; !isNull(v) {
		var n number
		if n.UnmarshalJSON(v) == nil && n >= 0 {
			i := int64(n)
			p.index = &i
		}
	}
	switch a := fn.Arguments; {
	case isNull(a):
	case a[0] == '"':
		p.args = plain(a)
	default:
		var b bytes.Buffer
		_ = json.Compact(&b, a)
		p.args, p.object = b.String(), true
	}
	for k, v := range fields {
		switch k {
		case "index", "id", "type", "function":
		default: // such as Gemini's extra_content, which must come back
			if p.echo == nil {
				p.echo = map[string]json.RawMessage{}
			}
			p.echo[k] = v
		}
	}
	return p, true
}

func (b *callBuffer) add(raw json.RawMessage) {
	p, ok := readPiece(raw)
	if !ok {
		return
	}
	c := b.find(p)
	if c == nil {
		if p.name == "" && p.args == "" || len(b.parts) >= maxParts {
			return
		}
		c = &callParts{}
		b.parts = append(b.parts, c)
	}
	if p.index != nil {
		if b.byIndex == nil {
			b.byIndex = map[int64]*callParts{}
		}
		b.byIndex[*p.index] = c
	}
	c.take(p)
}

// find returns the call that a piece continues; nil if it begins a new one.
func (b *callBuffer) find(p piece) *callParts {
	var last *callParts
	if n := len(b.parts); n > 0 {
		last = b.parts[n-1]
	}
	if p.id != "" {
		for _, c := range b.parts {
			if c.id == p.id {
				return c
			}
		}
	}
	if p.index != nil {
		c := b.byIndex[*p.index]
		switch {
		case c == nil:
			return nil
		case p.id != "" && c.id != "" && p.id != c.id: // every call has the index 0
			return nil
		case p.id == "" && p.name != "" && c.args.b.Len() > 0 && c.whole(): // and no id
			return nil
		}
		return c
	}
	switch {
	case p.id != "" || last == nil:
		return nil
	case p.name != "" && (p.name != last.name || last.args.b.Len() == 0 || last.whole()):
		return nil
	}
	return last
}

// take adds a piece to the call that it continues.
func (c *callParts) take(p piece) {
	if c.id == "" {
		c.id = p.id
	}
	switch {
	case p.name == "" || p.name == c.name: // some servers repeat it in each piece
	case c.name == "" || strings.HasPrefix(p.name, c.name):
		c.name = p.name
	case c.args.b.Len() == 0: // streamed in fragments
		c.name += p.name
	}
	if p.object && c.args.b.Len() > 0 && c.whole() {
		p.args = "" // the same object again
	}
	c.args.add(p.args)
	for k, v := range p.echo {
		if c.echo == nil {
			c.echo = map[string]json.RawMessage{}
		}
		c.echo[k] = v
	}
}

// calls returns the calls put together, each with an id of its own. A call without
// one, or with that of another call, is given one.
func (b *callBuffer) calls(n int) []Call {
	var out []Call
	seen := map[string]bool{}
	for i, p := range b.parts {
		if p.name == "" && p.args.b.Len() == 0 {
			continue
		}
		id := p.id
		if id == "" || seen[id] {
			id = fmt.Sprintf("call_%d_%d", n, i)
		}
		seen[id] = true
		c := Call{ID: id, Name: strings.TrimSpace(p.name), echo: p.echo}
		c.Args, c.Bad = arguments(p.args.String(), 0)
		out = append(out, c)
	}
	return out
}

// arguments returns what a model sent as a JSON object, or {} and what is wrong with it.
func arguments(s string, depth int) (object, bad string) {
	s = strings.TrimSpace(s)
	if s == "" || s == "null" {
		return "{}", ""
	}
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		return "{}", "the arguments are not valid JSON: " + err.Error()
	}
	switch v := v.(type) {
	case map[string]any:
		return s, ""
	case string: // encoded twice
		if depth < 2 {
			return arguments(v, depth+1)
		}
	}
	return "{}", "the arguments must be one JSON object"
}
