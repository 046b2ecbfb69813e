package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

// serverDialect is how a family of servers differs from OpenAI's own.
type serverDialect struct {
	events func(t script.Turn, id string, as func(script.Turn, string) []string) []string
	// refuses returns why the server refuses a request; empty if it accepts it.
	refuses func(path, body string) string
	block   bool   // one JSON object instead of a stream
	echoes  string // what the last request must contain
}

// inEach modifies each event as a JSON object.
func inEach(change func(event jsonObject)) func(script.Turn, string, func(script.Turn, string) []string) []string {
	return func(t script.Turn, id string, as func(script.Turn, string) []string) []string {
		var out []string
		for _, e := range as(t, id) {
			var v jsonObject
			if json.Unmarshal([]byte(e), &v) == nil {
				change(v)
				b, _ := json.Marshal(v)
				e = string(b)
			}
			out = append(out, e)
		}
		return out
	}
}

// callsWhole sends each call of a turn in one chunk, as make builds it.
func callsWhole(finish string, call func(i int, id string, c script.Call) jsonObject) func(script.Turn, string, func(script.Turn, string) []string) []string {
	return func(t script.Turn, id string, as func(script.Turn, string) []string) []string {
		calls := t.Calls
		t.Calls, t.Finish = nil, finish
		events := as(t, id)
		var chunks []string
		for i, c := range calls {
			b, _ := json.Marshal(call(i, fmt.Sprintf("call_%s_%d", id, i), c))
			chunks = append(chunks, called(string(b)))
		}
		at := 1 // after the first, which names the role
		return append(append(append([]string{}, events[:at]...), chunks...), events[at:]...)
	}
}

func serverDialects() map[string]serverDialect {
	function := func(c script.Call) jsonObject {
		return jsonObject{"name": c.Name, "arguments": c.Arguments()}
	}
	return map[string]serverDialect{
		"openai": {},
		"gemini": {echoes: `"extra_content":{"google":{"thought_signature":"sig call_`, // no index, a signature to bring back
			events: callsWhole("stop", func(_ int, id string, c script.Call) jsonObject {
				return jsonObject{"id": id, "type": "function", "function": function(c), "extra_content": jsonObject{"google": jsonObject{"thought_signature": "sig " + id}}}
			})},
		"every index 0": {events: callsWhole("tool_calls", func(_ int, id string, c script.Call) jsonObject {
			return jsonObject{"index": 0, "id": id, "type": "function", "function": function(c)}
		})},
		"arguments as objects, no ids": {events: callsWhole("stop", func(i int, _ string, c script.Call) jsonObject {
			return jsonObject{"index": i, "function": jsonObject{"name": c.Name, "arguments": json.RawMessage(c.Arguments())}}
		})},
		"deepseek": {echoes: `"reasoning_content":"look first"`, refuses: func(_, body string) string {
			if strings.Count(body, `"role":"assistant"`) != strings.Count(body, `"reasoning_content":`) {
				return "The reasoning_content in the thinking mode must be passed back to the API."
			}
			return ""
		}},
		"reasoning": {echoes: `"reasoning":"look first"`, events: inEach(func(e jsonObject) { // Ollama, OpenRouter
			for _, c := range e["choices"].([]any) {
				delta := c.(jsonObject)["delta"].(jsonObject)
				if v, ok := delta["reasoning_content"]; ok {
					delete(delta, "reasoning_content")
					delta["reasoning"] = v
				}
			}
		})},
		"no stream": {block: true},
	}
}

// unstream takes the last event of a stream as the whole answer.
type unstream struct {
	http.ResponseWriter
	last []byte
}

func (u *unstream) Write(p []byte) (int, error) {
	if d, ok := bytes.CutPrefix(p, []byte("data: ")); ok {
		u.last = bytes.Clone(d)
		return len(p), nil
	}
	return u.ResponseWriter.Write(p)
}

func (u *unstream) FlushError() error { return nil }

// block is a turn as one JSON object.
func block(t script.Turn, id string) []string {
	var calls []any
	for i, c := range t.Calls {
		calls = append(calls, jsonObject{"id": fmt.Sprintf("call_%s_%d", id, i), "function": jsonObject{"name": c.Name, "arguments": c.Arguments()}})
	}
	b, _ := json.Marshal(jsonObject{"choices": []any{jsonObject{"index": 0, "finish_reason": t.FinishReason(),
		"message": jsonObject{"role": "assistant", "content": t.Say, "tool_calls": calls}}}})
	return []string{string(b)}
}

// serveIn serves a script in a dialect.
func (d serverDialect) serveIn(s *script.Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if d.refuses != nil {
			if why := d.refuses(r.URL.Path, string(body)); why != "" {
				script.Refuse(w, http.StatusBadRequest, "", why)
				return
			}
		}
		switch {
		case d.block:
			u := &unstream{ResponseWriter: w}
			s.Answer(u, r, block)
			if u.last != nil {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(u.last)
			}
		case d.events != nil:
			s.Answer(w, r, func(t script.Turn, id string) []string { return d.events(t, id, script.Turn.ChatEvents) })
		default:
			s.Answer(w, r, script.Turn.ChatEvents)
		}
	}
}

// TestDialects: three turns with limits, failures and lost connections between them complete, whatever
// dialect the server speaks, and nothing was done twice.
func TestDialects(t *testing.T) {
	faults := []script.Fault{{Status: 429, RetryAfter: "0.002"}, {Status: 500}, {StallMS: 1}}
	sc := script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: []script.Turn{
		{Think: "look first", Say: "I look.", Faults: faults, Calls: []script.Call{{Name: "write_file", Args: json.RawMessage(`{"path":"a","content":"1"}`)}, {Name: "list_files"}}},
		{Expect: "1 file|a", Faults: faults, Calls: []script.Call{{Name: "run_command", Args: json.RawMessage(`{"command":"echo x >>a; cat a"}`)}}},
		{Expect: `^1x\n\[exit code 0`, Faults: faults, Calls: []script.Call{{Name: "finish", Args: json.RawMessage(`{"status":"done","summary":"three"}`)}}},
	}}}}
	for name, d := range serverDialects() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, sc)
			var log asked
			srv := httptest.NewServer(log.in(d.serveIn(server)))
			defer srv.Close()
			a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: srv.URL + "/v1", FirstDelay: time.Microsecond, Wait: time.Minute}, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			got := a.Run(t.Context(), contract.Session(t, agent.Executor, "x"))
			if got.Status != agent.Done || got.Summary != "three" {
				t.Fatalf("got %s %q", got.Status, got.Reason)
			}
			if last := log.bodies[len(log.bodies)-1]; !strings.Contains(last, d.echoes) {
				t.Errorf("%s is not in %s", d.echoes, last)
			}
		})
	}
}
