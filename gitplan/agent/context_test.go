package agent

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// onBoth runs a test over both APIs.
func onBoth(t *testing.T, f func(t *testing.T, api string)) {
	for _, api := range []string{apiChat, apiResponses} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			f(t, api)
		})
	}
}

// modelServer answers each request with the turn that next gives for its body;
// nil refuses it because it is too long.
func modelServer(t *testing.T, next func(n int, body string) *ScriptTurn) (base string, asked *atomic.Int32) {
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		turn := next(int(n.Add(1)), string(body))
		if turn == nil {
			refuse(w, http.StatusBadRequest, "context_length_exceeded", "it is too long")
			return
		}
		events := turn.chatEvents(fmt.Sprint(n.Load()))
		if strings.HasSuffix(r.URL.Path, "/responses") {
			events = turn.responsesEvents(fmt.Sprint(n.Load()))
		}
		play(w, r, events, ScriptFault{})
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", &n
}

// runAt is a session of an executor at an endpoint.
func runAt(t *testing.T, base, api string, set func(*OpenAI, *Session)) Result {
	t.Helper()
	o := OpenAI{Endpoint: Endpoint{BaseURL: base, API: api, FirstDelay: time.Microsecond}, Model: "m"}
	s := session(t, Executor, "x")
	if set != nil {
		set(&o, &s)
	}
	a, err := NewOpenAI(o)
	if err != nil {
		t.Fatal(err)
	}
	return a.Run(t.Context(), s)
}

func printing(i int) *ScriptTurn {
	turn := calling("run_command", fmt.Sprintf(`{"command":"seq %d"}`, 2500+i))
	return &turn
}

// TestSmallContexts: with a model of a small context a session comes to its end
// all the same, and its task is in every request; whether the endpoint refuses
// what is too long, or its window is known.
func TestSmallContexts(t *testing.T) {
	const turns, most = 30, 48 << 10
	for name, window := range map[string]int{"refused": 0, "known": 12_000} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, api string) {
				served, refusals := 0, 0
				base, _ := modelServer(t, func(_ int, body string) *ScriptTurn {
					if !strings.Contains(body, "Nonce: n0nce") || !strings.Contains(body, "Role: executor") {
						t.Error("a request without the task")
					}
					if len(body) > most {
						refusals++
						return nil
					}
					if served++; served <= turns {
						return printing(served)
					}
					last := done()
					return &last
				})
				want(t, runAt(t, base, api, func(o *OpenAI, _ *Session) { o.Window = window }), Done, "")
				if window == 0 && refusals == 0 || window > 0 && refusals > 0 {
					t.Errorf("%d requests were refused", refusals)
				}
			})
		})
	}
}

// TestLongReplay: a recording is played to its end, also where its turns do not
// fit together.
func TestLongReplay(t *testing.T) {
	onBoth(t, func(t *testing.T, api string) {
		var turns []ScriptTurn
		for i := range 40 {
			turns = append(turns, *printing(i))
		}
		got := converse(t, func(o *OpenAI, _ *Session) { o.API, o.Window = api, 3000 }, append(turns, done())...)
		want(t, got, Done, "")
	})
}

// TestNothingFits: where every request is too long the session ends, after the
// three ways to make it smaller.
func TestNothingFits(t *testing.T) {
	onBoth(t, func(t *testing.T, api string) {
		base, asked := modelServer(t, func(n int, _ string) *ScriptTurn {
			if n <= 3 {
				return printing(n)
			}
			return nil
		})
		got := runAt(t, base, api, nil)
		if want(t, got, Failed, "does not fit"); asked.Load() != 3+4 {
			t.Errorf("it was asked %d times", asked.Load())
		}
	})
}

// TestCompact: what is dropped is told, the newest last, also the second time.
func TestCompact(t *testing.T) {
	messages := []message{{role: "system", text: "s"}, {role: "user", text: "the task"}}
	turn := func(i int) []message {
		return []message{{role: "assistant", text: "words", calls: []call{{id: "c", name: "run_command", args: fmt.Sprintf(`{"command":"%d"}`, i)}}},
			{role: "tool", callID: "c", text: strings.Repeat("x", 3000)}}
	}
	for i := range 60 {
		messages = append(messages, turn(i)...)
	}
	for range 2 {
		got, ok := compact(messages, 2)
		if !ok || len(got) != 2+1+4 || got[1].text != "the task" || got[2].role != "user" {
			t.Fatalf("%v %d messages", ok, len(got))
		}
		if n := strings.Count(got[2].text, "- run_command"); n != maxDid {
			t.Errorf("%d calls are listed", n)
		}
		messages = append(got, turn(60)...)
		messages = append(messages, turn(61)...)
	}
	if n, _, _ := ReadDropNote("user", messages[2].text); n != 58+2 {
		t.Errorf("the note is about %d turns", n)
	}
	if last := messages[2].text; !strings.HasSuffix(last, `{"command":"59"}`) || strings.Contains(last, "words") {
		t.Errorf("the note is %q", last)
	}
	if got, ok := compact(messages[:4], 1); ok || len(got) != 4 {
		t.Error("there was nothing to drop")
	}
}

// TestShorten: old outputs go, the task and the last turns stay.
func TestShorten(t *testing.T) {
	messages := []message{{role: "user", text: strings.Repeat("task", 1000)}}
	for range 8 {
		messages = append(messages, message{role: "assistant"}, message{role: "tool", text: strings.Repeat("x", 2000)})
	}
	z := size{window: 5000}
	if !z.nearlyFull(messages) || !shorten(messages, keepTurns) || shorten(messages, keepTurns) {
		t.Error("it was not shortened, or twice")
	}
	if messages[0].text == stub || messages[2].text != stub || messages[4].text != stub || messages[6].text == stub {
		t.Error("the wrong ones were dropped")
	}
}

// TestCutPrompts: a server that cuts off what it is sent, and says so only by
// what it counts, ends the session with what to do about it.
func TestCutPrompts(t *testing.T) {
	long := func(o *OpenAI, s *Session) { s.Prompt.User += strings.Repeat("Words of a task. ", 2000) } // 34 KB, some 8000 tokens
	used := func(turn *ScriptTurn, in, cached int64) *ScriptTurn {
		turn.Usage = &ScriptUsage{In: in, Cached: cached, Out: 1}
		return turn
	}
	cases := map[string]struct {
		set    func(*OpenAI, *Session)
		in     []int64 // what is counted for each request
		cached int64
		ends   Status
	}{
		"at once":                {long, []int64{4000}, 0, Unusable},
		"not cut":                {long, []int64{8000, 9000, 10000}, 0, Done},
		"the rest was cached":    {long, []int64{100, 100, 100}, 8000, Done},
		"nothing is counted":     {long, []int64{0, 0, 0}, 0, Done},
		"later":                  {nil, []int64{300, 2000, 1500}, 0, Unusable},
		"dense tool outputs":     {nil, []int64{300, 2000, 2100}, 0, Done},
		"a short prompt, cached": {nil, []int64{1, 1, 1}, 0, Done},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, api string) {
				base, _ := modelServer(t, func(n int, _ string) *ScriptTurn {
					turn := printing(n * 1000)
					if n == len(c.in) {
						last := done()
						turn = &last
					}
					return used(turn, c.in[n-1], c.cached)
				})
				got := runAt(t, base, api, c.set)
				if got.Status != c.ends || c.ends == Unusable && !strings.Contains(got.Reason, "OLLAMA_CONTEXT_LENGTH") {
					t.Errorf("got %s %q", got.Status, got.Reason)
				}
			})
		})
	}
}

// TestCallsInText: a call that the server left in the text is nudged once; then
// the person is told what to start the server with. It is never run.
func TestCallsInText(t *testing.T) {
	for _, text := range []string{
		`<tool_call>{"name":"run_command","arguments":{"command":"touch ran"}}</tool_call>`,
		`{"name": "run_command", "arguments": {"command": "touch ran"}}`,
		"```json\n{\"name\": \"run_command\", \"parameters\": {\"command\": \"touch ran\"}}\n```",
	} {
		want(t, converse(t, nil, ScriptTurn{Say: text}, ScriptTurn{Say: text}), Failed, "--jinja")
		want(t, converse(t, nil, ScriptTurn{Say: text}, expecting("Go on by calling a tool", done())), Done, "")
	}
	for _, text := range []string{`{"name": "x"}`, "I call run_command.", `["name"]`} {
		if writtenCall(text) {
			t.Errorf("%s is no call", text)
		}
	}
}

// TestWindows: what a server says about its model's context, each in its way,
// and that it is asked only when it matters, and once.
func TestWindows(t *testing.T) {
	for name, c := range map[string]struct {
		path, body string
		window     int
	}{
		"vLLM":            {"/v1/models", `{"data":[{"id":"other","max_model_len":1000},{"id":"m","max_model_len":65536}]}`, 65536},
		"OpenRouter":      {"/v1/models", `{"data":[{"id":"m","context_length":200000}]}`, 200000},
		"Ollama":          {"/api/ps", `{"models":[{"name":"m:latest","context_length":40960}]}`, 40960},
		"llama.cpp":       {"/props", `{"default_generation_settings":{"n_ctx":49152}}`, 49152},
		"not this model":  {"/v1/models", `{"data":[{"id":"other","max_model_len":65536}]}`, LocalWindow},
		"nonsense":        {"/v1/models", `{"data":[{"id":"m","max_model_len":-5}]}`, LocalWindow},
		"not even JSON":   {"/props", `<html>`, LocalWindow},
		"nothing at all":  {"", "", LocalWindow},
		"an absurd claim": {"/props", `{"default_generation_settings":{"n_ctx":1e12}}`, LocalWindow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1); r.URL.Path != c.path || r.Header.Get("Authorization") != "Bearer "+contractKey {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, c.body)
			}))
			defer srv.Close()
			a, err := NewOpenAI(OpenAI{Endpoint: Endpoint{BaseURL: srv.URL + "/v1", Key: contractKey}, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if n := a.AskWindow(t.Context(), "m"); n != c.window || a.WindowOf("m") != c.window {
					t.Errorf("window %d, want %d", n, c.window)
				}
				if n := asked.Load(); n > 3 {
					t.Errorf("it was asked %d times", n)
				}
			}
		})
	}
}

// TestWindowIsAskedWhenItMatters: a short session asks nothing; a long one asks
// once and is not shortened where the model has room. What is configured counts.
func TestWindowIsAskedWhenItMatters(t *testing.T) {
	for name, c := range map[string]struct {
		turns, window, asks int
		dropped             bool
	}{
		"short":      {2, 0, 0, false},
		"long":       {18, 0, 1, false},
		"configured": {9, 36_000, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asks atomic.Int32
			var log bytes.Buffer
			dropped, turns := false, 0
			play := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v1/models" {
					asks.Add(1)
					_, _ = io.WriteString(w, `{"data":[{"id":"m","max_model_len":200000}]}`)
					return
				}
				body, _ := io.ReadAll(r.Body)
				dropped = dropped || strings.Contains(string(body), "output dropped")
				turn := done()
				if turns++; turns <= c.turns {
					turn = *printing(2000 + turns)
				}
				send(w, turn.chatEvents("x")...)
			})
			srv := httptest.NewServer(play)
			defer srv.Close()
			got := runAt(t, srv.URL+"/v1", apiChat, func(o *OpenAI, s *Session) { o.Window, s.Transcript = c.window, &log })
			if want(t, got, Done, ""); int(asks.Load()) != c.asks || dropped != c.dropped {
				t.Errorf("asked %d times, dropped %v", asks.Load(), dropped)
			}
		})
	}
}
