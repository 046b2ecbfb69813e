package builtin

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

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

// modelServer answers each request with the turn that next returns for its body; for nil it refuses the
// request as too long.
func modelServer(t *testing.T, next func(n int, body string) *script.Turn) (base string, asked *atomic.Int32) {
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		turn := next(int(n.Add(1)), string(body))
		if turn == nil {
			script.Refuse(w, http.StatusBadRequest, "context_length_exceeded", "it is too long")
			return
		}
		script.Play(w, turn.ChatEvents(fmt.Sprint(n.Load())))
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", &n
}

// runAt is a session of an executor at an endpoint.
func runAt(t *testing.T, base string, set func(*Agent, *agent.Session)) agent.Result {
	t.Helper()
	o := Agent{Endpoint: model.Endpoint{BaseURL: base, FirstDelay: time.Microsecond}, Model: "m"}
	s := contract.Session(t, agent.Executor, "x")
	if set != nil {
		set(&o, &s)
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a.Run(t.Context(), s)
}

func printing(i int) *script.Turn {
	turn := calling("run_command", fmt.Sprintf(`{"command":"seq %d"}`, 2500+i))
	return &turn
}

// TestTheFirstRequestIsTooLong: the session ends, since every other one would get the same request.
func TestTheFirstRequestIsTooLong(t *testing.T) {
	base, _ := modelServer(t, func(int, string) *script.Turn { return nil })
	if r := runAt(t, base, nil); r.Status != agent.Unusable || !strings.Contains(r.Reason, "does not fit into the model's context") {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
}

// TestSmallContexts: with a model of a small context a session still completes, and its task is in every
// request.
func TestSmallContexts(t *testing.T) {
	const turns, most = 30, 48 << 10
	served, refusals := 0, 0
	base, _ := modelServer(t, func(_ int, body string) *script.Turn {
		if !strings.Contains(body, "The step.") || !strings.Contains(body, "Role: executor") {
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
	contract.Want(t, runAt(t, base, nil), agent.Done, "")
	if refusals == 0 {
		t.Error("no request was refused")
	}
}

// TestLongReplay: a recording is played to its end, even if its turns do not fit together.
func TestLongReplay(t *testing.T) {
	var turns []script.Turn
	for i := range 40 {
		turns = append(turns, *printing(2000 + i))
	}
	contract.Want(t, converse(t, nil, append(turns, done())...), agent.Done, "")
}

// TestNothingFits: if every request is too long the session ends, after the last way to make it smaller.
func TestNothingFits(t *testing.T) {
	base, asked := modelServer(t, func(n int, _ string) *script.Turn {
		if n <= 3 {
			return printing(n)
		}
		return nil
	})
	got := runAt(t, base, nil)
	if contract.Want(t, got, agent.Failed, "does not fit"); asked.Load() != 3+4 {
		t.Errorf("it was asked %d times", asked.Load())
	}
}

// TestShorten: the oldest outputs are removed until there is room; the task and the last turns stay.
func TestShorten(t *testing.T) {
	var messages []model.Message
	build := func() {
		messages = []model.Message{{Role: "user", Text: strings.Repeat("task", 1000)}}
		for i := range 12 {
			id := fmt.Sprint("c", i)
			messages = append(messages, model.Message{Role: "assistant", Calls: []model.Call{{ID: id, Name: fmt.Sprint("f", i%3)}}},
				model.Message{Role: "tool", CallID: id, Text: strings.Repeat("x", 2000)})
		}
	}
	dropped := func() (out []int) {
		for i := range 12 {
			if messages[2+2*i].Text == stub {
				out = append(out, i)
			}
		}
		return out
	}
	for _, c := range []struct {
		keep, excess int
		want         string
	}{
		{keepTurns, 3000, "[0 1]"},
		{keepTurns, 1 << 20, "[0 1 2 3 4 5]"},
		{0, 1 << 20, "[0 1 2 3 4 5 6 7 8 9 10 11]"},
		{keepTurns, 0, "[]"},
	} {
		build()
		ok := (&conversation{messages: messages}).shorten(c.keep, c.excess)
		if got := fmt.Sprint(dropped()); got != c.want || ok != (got != "[]") || messages[0].Text == stub {
			t.Errorf("keep %d, excess %d: dropped %s, want %s", c.keep, c.excess, got, c.want)
		}
	}
}

// TestCutPrompts: a server that truncates requests, and shows it only in its counts, ends the session with
// what to do about it.
func TestCutPrompts(t *testing.T) {
	long := func(o *Agent, s *agent.Session) { s.Prompt.User += strings.Repeat("Words of a task. ", 2000) } // 34 KB, some 8000 tokens
	used := func(turn *script.Turn, in, cached int64) *script.Turn {
		turn.Usage = &script.Usage{In: in, Cached: cached, Out: 1}
		return turn
	}
	cases := map[string]struct {
		set    func(*Agent, *agent.Session)
		in     []int64 // the usage reported for each request
		cached int64
		ends   agent.Status
	}{
		"at once":                {long, []int64{4000}, 0, agent.Unusable},
		"not cut":                {long, []int64{8000, 9000, 10000}, 0, agent.Done},
		"the rest was cached":    {long, []int64{100, 100, 100}, 8000, agent.Done},
		"no usage reported":      {long, []int64{0, 0, 0}, 0, agent.Done},
		"later":                  {nil, []int64{300, 2000, 1500}, 0, agent.Unusable},
		"dense tool outputs":     {nil, []int64{300, 2000, 2100}, 0, agent.Done},
		"a short prompt, cached": {nil, []int64{1, 1, 1}, 0, agent.Done},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			base, _ := modelServer(t, func(n int, _ string) *script.Turn {
				turn := printing(n * 1000)
				if n == len(c.in) {
					last := done()
					turn = &last
				}
				return used(turn, c.in[n-1], c.cached)
			})
			got := runAt(t, base, c.set)
			if got.Status != c.ends || c.ends == agent.Unusable && !strings.Contains(got.Reason, "OLLAMA_CONTEXT_LENGTH") {
				t.Errorf("got %s %q", got.Status, got.Reason)
			}
		})
	}
}

// TestCallsInText: a call that the server left in the text is nudged once; then the error says how to start
// the server. It is never run.
func TestCallsInText(t *testing.T) {
	for _, text := range []string{
		`<tool_call>{"name":"run_command","arguments":{"command":"touch ran"}}</tool_call>`,
		`{"name": "run_command", "arguments": {"command": "touch ran"}}`,
		"```json\n{\"name\": \"run_command\", \"parameters\": {\"command\": \"touch ran\"}}\n```",
	} {
		contract.Want(t, converse(t, nil, script.Turn{Say: text}, script.Turn{Say: text}), agent.Unusable, "--jinja")
		contract.Want(t, converse(t, nil, script.Turn{Say: text}, expecting("call the next tool", done())), agent.Done, "")
	}
	for _, text := range []string{`{"name": "x"}`, "I call run_command.", `["name"]`} {
		if name, _ := writtenCall(text); name != "" {
			t.Errorf("%s counts as a call", text)
		}
	}
}

// TestWindowIsAskedWhenItMatters: a short session does not ask for the window; a long one asks once and is
// not shortened if the model has room.
func TestWindowIsAskedWhenItMatters(t *testing.T) {
	for name, c := range map[string]struct {
		turns, asks int
	}{
		"short": {2, 0},
		"long":  {18, 1},
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
				dropped = dropped || strings.Contains(string(body), "dropped to shorten")
				turn := done()
				if turns++; turns <= c.turns {
					turn = *printing(2000 + turns)
				}
				send(w, turn.ChatEvents("x")...)
			})
			srv := httptest.NewServer(play)
			defer srv.Close()
			got := runAt(t, srv.URL+"/v1", func(_ *Agent, s *agent.Session) { s.Transcript = &log })
			if contract.Want(t, got, agent.Done, ""); int(asks.Load()) != c.asks || dropped {
				t.Errorf("asked %d times, dropped %v", asks.Load(), dropped)
			}
		})
	}
}
