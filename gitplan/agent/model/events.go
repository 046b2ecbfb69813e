package model

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

const (
	maxEvent = 8 << 20            // bytes of one event, and of an answer that is not sent as events
	maxSaid  = 16 << 20           // bytes that the events of one answer say
	maxParts = 8 * agent.MaxCalls // calls of one turn that are put together at all
)

// errFinal is returned for an event after which the answer is complete.
var errFinal = errors.New("the answer is complete")

// bounded calls beat for whatever arrives, and ends a body that is larger than it may be.
type bounded struct {
	r          io.Reader
	left, most int // bytes
	beat       func()
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLarge("the answer", b.most)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	if b.left -= n; n > 0 {
		b.beat()
	}
	return n, err
}

// tooLarge returns the fault of an answer, or a part of it, that is larger than it may be.
func tooLarge(what string, most int) error {
	return &Fault{kind: faultProtocol, text: fmt.Sprintf("%s is larger than %d MiB", what, most>>20)}
}

// answer gathers a turn from the events of one API.
type answer interface {
	event(data []byte) error
	turn(done bool) (Turn, error) // done: the stream came to its proper end
}

// readEvents calls f for the data of each server-sent event. One JSON object, of a server that does not stream, is an
// event. done reports that the stream came to its proper end.
func readEvents(h http.Header, r io.Reader, f func(data []byte) error) (done bool, err error) {
	if how := h.Get("Content-Encoding"); how != "" && how != "identity" { // a little of it could be any amount
		return false, &Fault{kind: faultProtocol,
			text: "the answer is compressed (" + agent.OneLine(how, 40) + "), which was not asked for"}
	}
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind != "text/event-stream" {
		body, err := io.ReadAll(io.LimitReader(r, maxEvent+1))
		if len(body) > maxEvent {
			err = tooLarge("the answer", maxEvent)
		}
		switch body = bytes.TrimSpace(body); {
		case err != nil:
			return false, err
		case len(body) == 0:
			return false, &Fault{kind: faultCut, text: "the body is empty"}
		case body[0] == '<':
			return false, &Fault{kind: faultProtocol, hint: hintHost, text: "the endpoint answered with a web page"}
		case body[0] == '{' && !json.Valid(body):
			return false, &Fault{kind: faultCut, text: "the body is not a whole JSON object"}
		case body[0] == '{':
			if err = f(body); err == errFinal {
				err = nil
			}
			return true, err
		}
		r = bytes.NewReader(body)
	}
	final := false // the answer is complete: only its usage may follow, and what else comes is ignored
	for data, err := range events(r) {
		if string(data) == "[DONE]" {
			return true, nil
		}
		if err == nil {
			err = f(data)
		}
		switch {
		case err == errFinal:
			final = true
		case final && err != nil:
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return false, nil
}

// events returns the data of each server-sent event; the last may lack its empty line if it is whole.
func events(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func(data []byte, err error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxEvent)
		var data []byte
		for len(data) <= maxEvent && lines.Scan() {
			if d, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok {
				data = append(append(data, '\n'), bytes.TrimPrefix(d, []byte(" "))...)
			} else if event := bytes.TrimSpace(data); len(lines.Bytes()) == 0 && len(event) > 0 {
				if data = nil; !yield(event, nil) {
					return
				}
			}
		}
		switch data, err := bytes.TrimSpace(data), lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong), len(data) > maxEvent:
			yield(nil, tooLarge("an event of the answer", maxEvent))
		case err != nil:
			yield(nil, err)
		case json.Valid(data) || string(data) == "[DONE]":
			yield(data, nil)
		}
	}
}

// callParts is a call under assembly.
type callParts struct {
	id, name string
	index    number // -1 without one
	args     bytes.Buffer
	echo     map[string]json.RawMessage
}

func (c *callParts) whole() bool { return json.Valid(c.args.Bytes()) }

// addCall adds a piece of a call: an element of delta.tool_calls. Some servers omit or repeat index, id or name.
func (a *chatAnswer) addCall(raw json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return
	}
	var fn struct{ Name, Arguments json.RawMessage }
	_ = json.Unmarshal(fields["function"], &fn)
	p := &callParts{id: stringOf(fields["id"]), name: stringOf(fn.Name), index: -1, echo: map[string]json.RawMessage{}}
	if v := fields["index"]; !isNull(v) {
		_ = p.index.UnmarshalJSON(v)
	}
	p.args.WriteString(stringOf(fn.Arguments))
	for k, v := range fields {
		switch k {
		case "index", "id", "type", "function":
		default: // such as Gemini's extra_content, which must come back
			p.echo[k] = v
		}
	}
	c := a.continued(p)
	if c == nil {
		if (p.name != "" || p.args.Len() > 0) && len(a.calls) < maxParts {
			a.calls = append(a.calls, p)
		}
		return
	}
	if p.name != c.name && c.args.Len() == 0 { // streamed in fragments
		c.name += p.name
	}
	c.args.Write(p.args.Bytes())
	maps.Copy(c.echo, p.echo)
}

// continued returns the call that a piece continues, by its id, else its index, else the last; nil for a new one.
func (a *chatAnswer) continued(p *callParts) *callParts {
	for _, c := range slices.Backward(a.calls) {
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
