package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// delta is one event of a stream, as OpenAI writes it.
func delta(fields, finish string) string {
	f := "null"
	if finish != "" {
		f = `"` + finish + `"`
	}
	return `{"id":"c1","choices":[{"index":0,"delta":` + fields + `,"finish_reason":` + f + `}]}`
}

// called is a delta with one piece of a tool call.
func called(piece string) string { return delta(`{"tool_calls":[`+piece+`]}`, "") }

const streamEnd = "[DONE]"

func send(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
	_ = http.NewResponseController(w).Flush()
}

func streaming(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { send(w, events...) }
}

func answering(status int, kind, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// reset drops the connection without a proper end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// askOnce is one turn against a server; hits is the number of requests.
func askOnce(t *testing.T, h http.HandlerFunc, set func(*Endpoint)) (got Turn, hits int32, err error) {
	t.Helper()
	return askIn(t, t.Context(), h, set)
}

func askIn(t *testing.T, ctx context.Context, h http.HandlerFunc, set func(*Endpoint)) (got Turn, hits int32, err error) {
	t.Helper()
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.Add(1); h(w, r) }))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	e := opened(t, srv.URL, set)
	got, err = e.Ask(ctx, Request{Model: "m", Messages: prompted(), Idle: 2 * e.Idle}, nobody)
	return got, n.Load(), err
}

// opened is an endpoint at a server.
func opened(t *testing.T, server string, set func(*Endpoint)) *Endpoint {
	t.Helper()
	e := &Endpoint{BaseURL: server + "/v1", Key: "sk-test-0123456789", FirstDelay: time.Microsecond}
	if set != nil {
		set(e)
	}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	return e
}

// over makes an endpoint use one of the APIs.
func over(api string) func(*Endpoint) {
	return func(e *Endpoint) {
		e.Capabilities = &Capabilities{of: map[[2]string]capability{{e.BaseURL, "m"}: {api: api}}}
	}
}

// prompted is the beginning of every conversation.
func prompted() []Message {
	return []Message{{Role: "system", Text: "Role: executor"}, {Role: "user", Text: "u"}}
}

// nobody ignores all events.
func nobody(agent.Event) {}

// talk asks until a turn calls finish, or nothing, or there is a fault. Each other call is answered with its
// name.
func talk(t *testing.T, e *Endpoint, effort string) error {
	t.Helper()
	q := Request{Model: "m", Effort: effort, CacheKey: "p1", Messages: prompted(), Tools: []Tool{{"list_files", "lists", map[string]any{"type": "object"}}}}
	for range 20 {
		got, err := e.Ask(t.Context(), q, nobody)
		if err != nil {
			return err
		}
		q.Messages = append(q.Messages, got.Message)
		for _, c := range got.Calls {
			if c.Name == "finish" {
				return nil
			}
			q.Messages = append(q.Messages, Message{Role: "tool", CallID: c.ID, Text: "answer of " + c.Name})
		}
	}
	return errors.New("it does not end")
}

// faultOf is the kind of a fault, and the session's result.
func faultOf(err error) (string, agent.Result) {
	var f *Fault
	if !errors.As(err, &f) {
		return err.Error(), agent.Result{}
	}
	return string(f.kind), f.Result()
}

// TestStreams: other streams that servers send over chat, and the turn that each means.
func TestStreams(t *testing.T) {
	const one, two = `{"c":1}`, `{"c":2}`
	q := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	cases := []struct {
		name   string
		events []string
		text   string
		calls  string // "id name args" each
		bad    bool
		cut    bool
	}{
		{name: "text", events: []string{delta(`{"content":"hel"}`, ""), delta(`{"content":"lo"}`, "stop"), streamEnd}, text: "hello"},
		{name: "every index 0 and no id", events: []string{
			called(`{"index":0,"function":{"name":"x","arguments":` + q(one) + `}}`),
			called(`{"index":0,"function":{"name":"x","arguments":` + q(two) + `}}`), delta(`{}`, "stop"), streamEnd}, calls: "(made) x " + one + " | (made) x " + two},
		{name: "neither index nor id, in pieces", events: []string{
			called(`{"function":{"name":"x","arguments":"{\"c\":"}}`),
			called(`{"function":{"arguments":"1}"}}`),
			called(`{"function":{"name":"y","arguments":` + q(two) + `}}`), delta(`{}`, "stop"), streamEnd}, calls: "(made) x " + one + " | (made) y " + two},
		{name: "the same id twice in a block", events: []string{
			called(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"c\":"}}`),
			called(`{"index":0,"id":"a","function":{"name":"x","arguments":"1}"}}`), delta(`{}`, "tool_calls"), streamEnd}, calls: "a x " + one},
		{name: "the name in pieces", events: []string{
			called(`{"index":0,"id":"a","function":{"name":"read_"}}`),
			called(`{"index":0,"function":{"name":"file","arguments":"{}"}}`), delta(`{}`, "tool_calls"), streamEnd}, calls: "a read_file {}"},
		{name: "arguments encoded twice", events: []string{
			called(`{"index":0,"id":"a","function":{"name":"x","arguments":` + q(q(one)) + `}}`), delta(`{}`, "tool_calls"), streamEnd}, calls: "a x " + one},
		{name: "whole calls, then the end without a word", events: []string{
			called(`{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}`)}, calls: "a x {}"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, _, err := askOnce(t, streaming(c.events...), nil)
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			bad := false
			for _, k := range got.Calls {
				if strings.HasPrefix(k.ID, "call_") {
					k.ID = "(made)"
				}
				calls = append(calls, k.ID+" "+k.Name+" "+k.Args)
				bad = bad || k.Bad != ""
			}
			if s := strings.Join(calls, " | "); s != c.calls || got.Text != c.text || bad != c.bad || got.Cut != c.cut {
				t.Errorf("calls %q text %q bad %v cut %v", s, got.Text, bad, got.Cut)
			}
		})
	}
}

// TestTooLongAnswers: what says more than any model writes is not an answer.
func TestTooLongAnswers(t *testing.T) {
	piece := strings.Repeat("x", 1<<20)
	for what, event := range map[string][2]string{
		"text":      {apiChat, delta(`{"content":"`+piece+`"}`, "")},
		"arguments": {apiChat, called(`{"index":0,"id":"a","function":{"name":"f","arguments":"` + piece + `"}}`)},
		"items":     {apiResponses, item(0, saying(piece))},
	} {
		_, _, err := askOnce(t, streaming(slices.Repeat([]string{event[1]}, 17)...), over(event[0]))
		if kind, _ := faultOf(err); kind != string(faultProtocol) || !strings.Contains(err.Error(), "larger than 16 MiB") {
			t.Errorf("17 MB of %s: %v", what, err)
		}
	}
}

// TestOnlyTheGivenKeyIsSent: no other variable of the environment is sent.
func TestOnlyTheGivenKeyIsSent(t *testing.T) {
	for k, v := range map[string]string{"OPENAI_API_KEY": "sk-REAL", "OPENAI_ADMIN_KEY": "adm", "OPENAI_ORG_ID": "o",
		"OPENAI_PROJECT_ID": "p", "OPENAI_CUSTOM_HEADERS": "X-S: 1", "OPENAI_BASE_URL": "http://example.invalid"} {
		t.Setenv(k, v)
	}
	for _, c := range [][2]string{{apiChat, ""}, {apiChat, "sk-given-12345678"}, {apiResponses, ""}, {apiResponses, "sk-given-12345678"}} {
		api, key := c[0], c[1]
		var header http.Header
		_, _, err := askOnce(t, func(w http.ResponseWriter, r *http.Request) {
			if header = r.Header.Clone(); api == apiResponses {
				send(w, finished(saying("x")))
				return
			}
			send(w, delta(`{"content":"x"}`, "stop"), streamEnd)
		}, func(e *Endpoint) { over(api)(e); e.Key = key })
		want := ""
		if key != "" {
			want = "Bearer " + key
		}
		if err != nil || header.Get("Authorization") != want || header.Get("X-S") != "" || header.Get("Openai-Organization") != "" || header.Get("Openai-Project") != "" {
			t.Errorf("%s with the key %q: %v %v", api, key, header, err)
		}
	}
}

// TestEcho: fields that a provider wants back are sent back where they were.
func TestEcho(t *testing.T) {
	var second atomic.Value
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if n.Add(1) == 1 {
			send(w, delta(`{"reasoning_content":"thin"}`, ""), delta(`{"reasoning_content":"king","reasoning_details":[{"signature":"sig"}]}`, ""),
				called(`{"id":"a","function":{"name":"list_files","arguments":"{}"},"extra_content":{"google":{"thought_signature":"gs"}}}`),
				delta(`{}`, "tool_calls"), streamEnd)
			return
		}
		second.Store(string(b))
		send(w, called(`{"id":"b","function":{"name":"finish","arguments":"{\"status\":\"done\"}"}}`), delta(`{}`, "stop"), streamEnd)
	}))
	defer srv.Close()
	if err := talk(t, opened(t, srv.URL, nil), ""); err != nil {
		t.Fatal(err)
	}
	body, _ := second.Load().(string)
	for _, want := range []string{`"reasoning_content":"thinking"`, `"signature":"sig"`, `"thought_signature":"gs"`, `"tool_call_id":"a"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
}

// TestBaseURL: what people paste.
func TestBaseURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       OpenAI,
		"http://localhost:11434/v1":              "http://localhost:11434/v1",
		"https://h.example/v1/chat/completions/": "https://h.example/v1",
		"https://h.example/":                     "https://h.example",
	} {
		e := Endpoint{BaseURL: in}
		if err := e.Open(); err != nil || e.BaseURL != want {
			t.Errorf("%q: %s, %v", in, e.BaseURL, err)
		}
	}
	for _, in := range []string{"localhost:11434/v1", "h.example", "ftp://h.example", "https://", "https://u:secret@h.example", "https://h.example/?key=secret", ":"} {
		if err := (&Endpoint{BaseURL: in}).Open(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", in, err)
		}
	}
	if err := (&Endpoint{Key: "sk-broken-key\n"}).Open(); err == nil || strings.Contains(err.Error(), "broken") {
		t.Errorf("a key with a line end: %v", err)
	}
}

// FuzzStream: whatever a server sends results in a turn or a fault.
func FuzzStream(f *testing.F) {
	f.Add("text/event-stream", "data: "+delta(`{"content":"hi"}`, "stop")+"\n\ndata: [DONE]\n\n")
	f.Add("text/event-stream", "data: "+called(`{"index":0,"function":{"name":"x","arguments":{"a":1}}}`)+"\n\n")
	f.Add("application/json", `{"choices":[{"message":{"content":[{"text":"hi"}],"tool_calls":[null,1,{"function":2}]}}],"usage":{"prompt_tokens":"1e9"}}`)
	f.Add("text/event-stream", "data: "+begun(`"output_index":0,`, fcall("a", "x", `""`))+"\n\ndata: "+item(1, fcall("b", "y", "{}"))+"\n\ndata: "+finished()+"\n\n")
	f.Add("application/json", finished(saying("x"), `null`, `1`, `{"type":"function_call","id":2,"arguments":[]}`))
	f.Fuzz(func(t *testing.T, kind, body string) {
		for _, a := range []answer{&chatAnswer{reported: func(string) {}, thoughts: map[string]*strings.Builder{}}, &responsesAnswer{reported: func(string) {}}} {
			var got Turn
			done, err := readEvents(http.Header{"Content-Type": {kind}}, strings.NewReader(body), a.event)
			if err == nil {
				got, err = a.turn(done)
			}
			var f *Fault
			if err != nil && !errors.As(err, &f) {
				t.Errorf("%T %v", err, err)
			}
			for _, c := range got.Calls {
				if !json.Valid([]byte(c.Args)) || c.ID == "" {
					t.Errorf("%+v", c)
				}
			}
			for _, back := range []any{got.chat("", false), got.inputItems("")} { // and it can be sent back
				if b, err := json.Marshal(back); err == nil && !json.Valid(b) {
					t.Errorf("it would go back as %s", b)
				}
			}
		}
	})
}
