package model

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// callBuffer assembles tool calls from pieces, in which some servers omit or repeat index, id or name.
type callBuffer struct{ parts []*callParts }

// maxParts bounds the calls of one turn that are put together at all.
const maxParts = 8 * agent.MaxCalls

// callParts is a call under assembly.
type callParts struct {
	id, name string
	index    number // -1 without one
	args     boundedText
	echo     map[string]json.RawMessage
}

func (c *callParts) whole() bool { return json.Valid(c.args.b.Bytes()) }

// readPiece reads one element of delta.tool_calls.
func readPiece(raw json.RawMessage) (*callParts, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil, false
	}
	var fn struct{ Name, Arguments json.RawMessage }
	_ = json.Unmarshal(fields["function"], &fn)
	p := &callParts{id: stringOf(fields["id"]), name: stringOf(fn.Name), index: -1, echo: map[string]json.RawMessage{}}
	if v := fields["index"]; !isNull(v) {
		_ = p.index.UnmarshalJSON(v)
	}
	p.args.add(stringOf(fn.Arguments))
	for k, v := range fields {
		switch k {
		case "index", "id", "type", "function":
		default: // such as Gemini's extra_content, which must come back
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
		if (p.name != "" || p.args.b.Len() > 0) && len(b.parts) < maxParts {
			b.parts = append(b.parts, p)
		}
		return
	}
	if p.name != c.name && c.args.b.Len() == 0 { // streamed in fragments
		c.name += p.name
	}
	c.args.add(p.args.String())
	maps.Copy(c.echo, p.echo)
}

// find returns the call that a piece continues, by its id, else its index, else the last; nil for a new one.
func (b *callBuffer) find(p *callParts) *callParts {
	for _, c := range slices.Backward(b.parts) {
		switch {
		case p.id != "":
			if p.id == c.id && (p.index < 0 || c.index < 0 || p.index == c.index) {
				return c
			}
		case p.index < 0 || p.index == c.index:
			if p.name != "" && c.whole() {
				return nil
			}
			return c
		}
	}
	return nil
}

// calls returns the calls put together.
func (b *callBuffer) calls() []Call {
	var out []Call
	for _, p := range b.parts {
		c := newCall(out, p.id, p.name, p.args.String())
		c.echo = p.echo
		out = append(out, c)
	}
	return out
}

// newCall returns a call with an id that no earlier call has, and a JSON object as arguments.
func newCall(before []Call, id, name, args string) Call {
	c := Call{ID: id, Name: strings.TrimSpace(name)}
	if id == "" || slices.ContainsFunc(before, func(o Call) bool { return o.ID == id }) {
		c.ID = fmt.Sprintf("call_%d_%s", len(before), rand.Text()[:8])
	}
	c.Args, c.Bad = arguments(args, 0)
	return c
}

// arguments returns a model's arguments as a JSON object, or {} and the problem.
func arguments(s string, depth int) (object, bad string) {
	s = strings.TrimSpace(s)
	if s == "" || s == "null" {
		return "{}", ""
	}
	var v any
	err := json.Unmarshal([]byte(s), &v)
	if mended := agent.Repaired(s); err != nil && json.Unmarshal([]byte(mended), &v) == nil {
		s, err = mended, nil
	}
	if err != nil {
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
