package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
)

// asked keeps the last part of each path, and each body.
type asked struct {
	mu     sync.Mutex
	paths  []string
	bodies []string
}

func (a *asked) in(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.paths, a.bodies = append(a.paths, path.Base(r.URL.Path)), append(a.bodies, string(body))
		a.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h(w, r)
	}
}

func (a *asked) String() string { return strings.Join(a.paths, " ") }

// calling is a turn with one call.
func calling(name, args string) script.Turn {
	return script.Turn{Calls: []script.Call{{Name: name, Args: json.RawMessage(args)}}}
}

func done() script.Turn { return calling("finish", `{"status":"done"}`) }

// plays plays turns over the API of each request, choosing by the number of answered calls.
func plays(turns ...script.Turn) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n, calls := 0, 0
		for n = range turns {
			if calls += len(turns[n].Calls); calls > strings.Count(string(body), "answer of ") {
				break
			}
		}
		turn := turns[n]
		if !strings.HasSuffix(r.URL.Path, "/responses") {
			send(w, turn.ChatEvents(fmt.Sprint(n))...)
			return
		}
		var items []string
		if turn.Say != "" {
			items = append(items, item(0, saying(turn.Say)))
		}
		for i, c := range turn.Calls {
			items = append(items, item(i, fcall(fmt.Sprintf("c%d_%d", n, i), c.Name, quoted(c.Arguments()))))
		}
		used := ""
		if u := turn.Usage; u != nil {
			used = fmt.Sprintf(`"usage":{"input_tokens":%d,"output_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d}},`, u.In, u.Out, u.Cached, u.Written)
		}
		send(w, append(items, finishedAs("completed", used))...)
	}
}

// firstParty is an endpoint that looks first-party: its requests go to srv.
func firstParty(t *testing.T, srv *httptest.Server) *Endpoint {
	t.Helper()
	e := opened(t, "http://eu.api.openai.com", nil)
	transport := e.http.Transport.(*http.Transport)
	transport.Proxy = nil
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, srv.Listener.Addr().String())
	}
	return e
}

// ends is the result of a session after talk.
func ends(err error) agent.Status {
	if err == nil {
		return agent.Done
	}
	_, r := faultOf(err)
	return r.Status
}

// TestWhichAPI: auto begins with the API that the host is known for, switches to the other one when the
// endpoint says so, and the next session does not ask again.
func TestWhichAPI(t *testing.T) {
	const j = jsonType
	server := plays(calling("list_files", `{}`), done())
	refuses := func(end string, status int, body string) func(http.Handler) http.HandlerFunc {
		return func(next http.Handler) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, end) {
					answering(status, j, body)(w, r)
					return
				}
				next.ServeHTTP(w, r)
			}
		}
	}
	const tools = `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.","type":"invalid_request_error","param":"reasoning_effort","code":null}}`
	const only = `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","type":"invalid_request_error","param":"model","code":null}}`
	for name, c := range map[string]struct {
		first  bool // at a first-party host
		refuse func(http.Handler) http.HandlerFunc
		status agent.Status
		paths  string // of two sessions
	}{
		"a local server":                      {false, refuses("nothing", 0, ""), agent.Done, "completions completions completions completions"},
		"first-party":                         {true, refuses("nothing", 0, ""), agent.Done, "responses responses responses responses"},
		"tools only by /responses":            {false, refuses("/completions", 400, tools), agent.Done, "completions responses responses responses responses"},
		"the model only by /responses":        {false, refuses("/completions", 404, only), agent.Done, "completions responses responses responses responses"},
		"no /responses":                       {true, refuses("/responses", 404, `{"error":{"message":"Invalid URL (POST /v1/responses)"}}`), agent.Done, "responses completions completions completions completions"},
		"no /responses, by 405":               {true, refuses("/responses", 405, `{"error":"Unexpected endpoint or method. (POST /v1/responses)"}`), agent.Done, "responses completions completions completions completions"},
		"no such model":                       {true, refuses("/responses", 404, `{"error":{"message":"no","code":"model_not_found"}}`), agent.Unusable, "responses responses"},
		"neither: it does not retry for ever": {false, refuses("s", 404, only), agent.Unusable, "completions responses responses"},
		"the other way round, only once":      {true, refuses("s", 404, `{"detail":"Not Found"}`), agent.Unusable, "responses completions completions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log asked
			srv := httptest.NewServer(log.in(c.refuse(server)))
			defer srv.Close()
			e := firstParty(t, srv)
			if !c.first {
				e = opened(t, srv.URL, nil)
			}
			for range 2 {
				if err := talk(t, e, ""); ends(err) != c.status {
					t.Errorf("got %v, want %s", err, c.status)
				}
			}
			if log.String() != c.paths {
				t.Errorf("asked %s, want %s", &log, c.paths)
			}
		})
	}
}

// TestSwitchInTheMiddle: a conversation that began over one API continues over the other, with its whole
// history.
func TestSwitchInTheMiddle(t *testing.T) {
	server := plays(script.Turn{Say: "I look.", Calls: []script.Call{{Name: "list_files"}, {Name: "search", Args: json.RawMessage(`{"pattern":"x"}`)}}},
		calling("write_file", `{"path":"a","content":"b"}`), done())
	for first, gone := range map[bool]string{true: "/responses", false: "/completions"} {
		n := 0
		var log asked
		srv := httptest.NewServer(log.in(func(w http.ResponseWriter, r *http.Request) {
			if n++; n > 1 && strings.HasSuffix(r.URL.Path, gone) {
				answering(404, jsonType, `{"error":{"message":"no such model there: POST /v1/responses"}}`)(w, r)
				return
			}
			server.ServeHTTP(w, r)
		}))
		e := firstParty(t, srv)
		if !first {
			e = opened(t, srv.URL, nil)
		}
		if err := talk(t, e, ""); err != nil {
			t.Error(err)
		}
		if len(log.paths) != 4 || log.paths[0] == log.paths[2] {
			t.Errorf("asked %s", &log)
		}
		if last := log.bodies[3]; !strings.Contains(last, `"I look."`) || strings.Count(last, "call_id") < 3 {
			t.Errorf("not all that was said is in %s", last)
		}
		srv.Close()
	}
}

// TestParametersLeftOut: a parameter that an endpoint refuses is omitted, for the next session too; whether
// it says so by a code, the parameter's name or in prose.
func TestParametersLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		api, field, refusal string
	}{
		"by its name":             {apiResponses, `"include":`, `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`},
		"by a code":               {apiResponses, `"reasoning":`, `{"error":{"message":"Unsupported","param":"reasoning.effort","code":"unsupported_value"}}`},
		"in prose":                {apiResponses, `"store":`, `{"detail":"store: Extra inputs are not permitted"}`},
		"of chat, by a code":      {apiChat, `"reasoning_effort":`, `{"error":{"message":"Unsupported parameter","param":"reasoning_effort","code":"unsupported_parameter"}}`},
		"of chat, in prose (422)": {apiChat, `"stream_options":`, `{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := plays(done())
			var log asked
			srv := httptest.NewServer(log.in(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(log.bodies[len(log.bodies)-1], c.field) {
					answering(400, jsonType, c.refusal)(w, r)
					return
				}
				server.ServeHTTP(w, r)
			}))
			defer srv.Close()
			shared := &Capabilities{of: map[[2]string]capability{{srv.URL + "/v1", "m"}: {api: c.api}}}
			for range 2 { // each step creates its agent anew
				e := opened(t, srv.URL, func(e *Endpoint) { e.Capabilities = shared })
				if err := talk(t, e, "high"); err != nil {
					t.Error(err)
				}
			}
			if len(log.bodies) != 3 || !strings.Contains(log.bodies[2], `"stream":true`) || !strings.Contains(log.bodies[2], `"tools":`) {
				t.Errorf("%d requests, the last %s", len(log.bodies), log.bodies[len(log.bodies)-1])
			}
		})
	}
}

// TestResponsesRequest: the request to the Responses API, and that the model's output is sent back unchanged.
func TestResponsesRequest(t *testing.T) {
	reasoning := `{"type":"reasoning","id":"rs_1","summary":[],  "encrypted_content":"<sealed>", "unknown":1e400}`
	text := `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"I look.","annotations":[]}]}`
	call := `{ "type":"function_call","id":"fc_1","call_id":"a","name":"list_files","arguments":"{ }","status":"completed"}`
	broken := `{"type":"function_call","id":"fc_2","call_id":"b","name":"list_files","arguments":"{","kept":1}`
	var log asked
	srv := httptest.NewServer(log.in(then(
		streaming(item(0, reasoning), item(1, text), item(2, call), item(3, broken), finished()),
		streaming(finished(fcall("c", "finish", `"{\"status\":\"done\"}"`))))))
	defer srv.Close()
	if err := talk(t, firstParty(t, srv), "high"); err != nil {
		t.Error(err)
	}
	body := log.bodies[1]
	fixed := `"arguments":"{}","call_id":"b"`
	compact := func(s string) string {
		var b bytes.Buffer
		_ = json.Compact(&b, []byte(s))
		return b.String()
	}
	for _, part := range []string{compact(reasoning) + "," + compact(text) + "," + compact(call), fixed, `"kept":1`, `"store":false`, `"stream":true`, `"strict":false`, `"include":["reasoning.encrypted_content"]`,
		`"effort":"high"`, `"prompt_cache_key":"p1"`, `"output":"answer of list_files","call_id":"a"`, `"role":"system"`} {
		if !strings.Contains(body, part) {
			t.Errorf("%s is not in %s", part, body)
		}
	}
	if !json.Valid([]byte(body)) || strings.Contains(body, "previous_response_id") {
		t.Errorf("the request is %s", body)
	}
}

// then plays one handler after the other, the last one repeatedly.
func then(hs ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	n := -1
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n = min(n+1, len(hs)-1)
		h := hs[n]
		mu.Unlock()
		h(w, r)
	}
}

// TestSessionsLearnTogether: parallel sessions that are refused at once adapt in the same way, and all
// continue.
func TestSessionsLearnTogether(t *testing.T) {
	server := plays(done())
	var together sync.WaitGroup
	together.Add(8)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/completions") {
			together.Done()
			together.Wait() // all of them use chat first
			answering(400, jsonType, `{"error":{"message":"use /v1/responses"}}`)(w, r)
			return
		}
		server.ServeHTTP(w, r)
	}))
	defer srv.Close()
	e := opened(t, srv.URL, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := talk(t, e, ""); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
