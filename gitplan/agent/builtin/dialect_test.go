package builtin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
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
	apis   string // over which it is spoken
	events func(t script.Turn, id string, as func(script.Turn, string) []string) []string
	// refuses says why the server does not take a request; empty when it does.
	refuses func(path, body string) string
	block   bool   // one JSON object instead of a stream
	echoes  string // what the last request must hold
}

// inEach changes each event as a JSON object.
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
		"openai": {apis: "chat responses"},
		"gemini": {apis: "chat", echoes: `"extra_content":{"google":{"thought_signature":"sig call_`, // no index, a signature to bring back
			events: callsWhole("stop", func(_ int, id string, c script.Call) jsonObject {
				return jsonObject{"id": id, "type": "function", "function": function(c), "extra_content": jsonObject{"google": jsonObject{"thought_signature": "sig " + id}}}
			})},
		"every index 0": {apis: "chat", events: callsWhole("tool_calls", func(_ int, id string, c script.Call) jsonObject {
			return jsonObject{"index": 0, "id": id, "type": "function", "function": function(c)}
		})},
		"arguments as objects, no ids": {apis: "chat", events: callsWhole("stop", func(i int, _ string, c script.Call) jsonObject {
			return jsonObject{"index": i, "function": jsonObject{"name": c.Name, "arguments": json.RawMessage(c.Arguments())}}
		})},
		"deepseek": {apis: "chat", echoes: `"reasoning_content":"look first"`, refuses: func(_, body string) string {
			if strings.Count(body, `"role":"assistant"`) != strings.Count(body, `"reasoning_content":`) {
				return "The reasoning_content in the thinking mode must be passed back to the API."
			}
			return ""
		}},
		"reasoning": {apis: "chat", echoes: `"reasoning":"look first"`, events: inEach(func(e jsonObject) { // Ollama, OpenRouter
			for _, c := range e["choices"].([]any) {
				delta := c.(jsonObject)["delta"].(jsonObject)
				if v, ok := delta["reasoning_content"]; ok {
					delete(delta, "reasoning_content")
					delta["reasoning"] = v
				}
			}
		})},
		"no stream": {apis: "chat responses", block: true},
		"no tools over chat": {apis: "auto", refuses: func(path, _ string) string {
			if strings.HasSuffix(path, "/completions") {
				return "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
			}
			return ""
		}},
		"other ids in each event": {apis: "responses", echoes: "sealed ", events: inEach(func() func(jsonObject) {
			n := 0
			return func(e jsonObject) {
				n++
				if _, ok := e["item_id"]; ok {
					e["item_id"] = fmt.Sprint("other", n)
				}
				if i, ok := e["item"].(jsonObject); ok {
					i["id"] = fmt.Sprint("other", n)
				}
			}
		}())},
		"objects in items": {apis: "responses", events: inEach(func(e jsonObject) {
			if i, ok := e["item"].(jsonObject); ok && e["type"] == "response.output_item.done" && i["type"] == "function_call" {
				i["arguments"] = json.RawMessage(i["arguments"].(string))
			}
		})},
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

// Hijack is how a stream is reset; then there is nothing to answer.
func (u *unstream) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	u.last = nil
	return http.NewResponseController(u.ResponseWriter).Hijack()
}

// block is a turn as one JSON object, after the beginning of it for streams that
// are cut there.
func block(path string) func(script.Turn, string) []string {
	return func(t script.Turn, id string) []string {
		if strings.HasSuffix(path, "/responses") {
			events := t.ResponsesEvents(id)
			var e struct{ Response json.RawMessage }
			_ = json.Unmarshal([]byte(events[len(events)-1]), &e)
			return []string{`{"output":[`, string(e.Response)}
		}
		var calls []any
		for i, c := range t.Calls {
			calls = append(calls, jsonObject{"id": fmt.Sprintf("call_%s_%d", id, i), "function": jsonObject{"name": c.Name, "arguments": c.Arguments()}})
		}
		b, _ := json.Marshal(jsonObject{"choices": []any{jsonObject{"index": 0, "finish_reason": t.FinishReason(),
			"message": jsonObject{"role": "assistant", "content": t.Say, "tool_calls": calls}}}})
		return []string{`{"choices":[`, string(b)}
	}
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
		as := script.Turn.ChatEvents
		if strings.HasSuffix(r.URL.Path, "/responses") {
			as = script.Turn.ResponsesEvents
		}
		switch {
		case d.block:
			u := &unstream{ResponseWriter: w}
			s.Answer(u, r, block(r.URL.Path))
			if u.last != nil {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(u.last)
			}
		case d.events != nil:
			s.Answer(w, r, func(t script.Turn, id string) []string { return d.events(t, id, as) })
		default:
			s.Answer(w, r, as)
		}
	}
}

// TestDialects: three turns with limits, failures, cut and reset streams between
// them end done, whatever the server speaks, and nothing was done twice.
func TestDialects(t *testing.T) {
	faults := []script.Fault{{Status: 429, RetryAfter: "2ms"}, {Status: 500}, {Cut: 1}, {Cut: 1, Reset: true}}
	sc := script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: []script.Turn{
		{Think: "look first", Say: "I look.", Faults: faults, Calls: []script.Call{{Name: "write_file", Args: json.RawMessage(`{"path":"a","content":"1"}`)}, {Name: "list_files"}}},
		{Expect: "1 file|a", Faults: faults, Calls: []script.Call{{Name: "run_command", Args: json.RawMessage(`{"command":"echo x >>a; cat a"}`)}}},
		{Expect: `^1x\n\[exit code 0`, Faults: faults, Calls: []script.Call{{Name: "finish", Args: json.RawMessage(`{"status":"done","summary":"three"}`)}}},
	}}}}
	for name, d := range serverDialects() {
		for api := range strings.FieldsSeq(d.apis) {
			t.Run(api+"/"+name, func(t *testing.T) {
				t.Parallel()
				server := serve(t, sc)
				var log asked
				srv := httptest.NewServer(log.in(d.serveIn(server)))
				defer srv.Close()
				a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: srv.URL + "/v1", API: strings.TrimPrefix(api, "auto"), FirstDelay: time.Microsecond, Wait: time.Minute}, Model: "m"})
				if err != nil {
					t.Fatal(err)
				}
				got := a.Run(t.Context(), contract.Session(t, agent.Executor, "x"))
				if got.Status != agent.Done || got.Summary != "three" {
					t.Fatalf("got %s %q", got.Status, got.Reason)
				}
				if u := server.Unused(); len(u) > 0 || len(server.Refused()) > 0 {
					t.Errorf("unused %v, refused %v", u, server.Refused())
				}
				if last := log.bodies[len(log.bodies)-1]; !strings.Contains(last, d.echoes) {
					t.Errorf("%s is not in %s", d.echoes, last)
				}
			})
		}
	}
}
