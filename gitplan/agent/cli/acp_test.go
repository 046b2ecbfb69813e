package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/testdata/contract"
)

// hostile is a session with an agent by the Agent Client Protocol, as testdata/agents/acp-unruly plays it.
func hostile(t *testing.T, story string) (*Agent, agent.Session) {
	c := NewACP(Agent{AgentName: "mine", Program: fake(t, "acp-unruly"), Args: []string{story}})
	c.stay = 200 * time.Millisecond
	return c, contract.Session(t, agent.Executor, story)
}

// TestHostilePeers: whatever an agent sends, and however it ends, its session has the right result, and no
// process remains.
func TestHostilePeers(t *testing.T) {
	notOffered := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"not offered"}}` + "\n"
	}
	cancelled := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"outcome":"cancelled"}}}` + "\n"
	}
	for story, c := range map[string]struct {
		idle   time.Duration
		want   agent.Status
		reason string
		file   string // with the answers it got
		text   string
	}{
		"garbage": {want: agent.Done},
		"asks":    {want: agent.Done, file: "asked.txt", text: notOffered("71") + notOffered("72") + notOffered("73") + notOffered("74")},
		"early":   {want: agent.Done, file: "early.txt", text: cancelled(`"e1"`) + notOffered(`"e2"`) + notOffered(`"e3"`)},
		"endless": {want: agent.Done},
		"stops":   {want: agent.Done, file: "asked.txt", text: `{"jsonrpc":"2.0","id":"p","result":{"outcome":{"optionId":"no","outcome":"selected"}}}` + "\n"},
		"flood":   {want: agent.Unusable, reason: "it does not read what is sent to it"},
		"never":   {idle: 300 * time.Millisecond, want: agent.Unreachable, reason: "no sign of life for 300ms, nor of its model"},
		"deaf":    {idle: 3 * time.Second, want: agent.TimedOut, reason: "no sign of life for 3s"},
		"daemon":  {want: agent.Done},
		"stays":   {want: agent.Done},
		"dies":    {want: agent.Failed, reason: "it was killed by a signal (9)"},
	} {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			a, s := hostile(t, story)
			s.Idle = c.idle
			contract.Want(t, a.Run(t.Context(), s), c.want, c.reason)
			if got, _ := os.ReadFile(filepath.Join(s.Dir, c.file)); c.file != "" && string(got) != c.text {
				t.Errorf("it was answered\n%swant\n%s", got, c.text)
			}
			if _, err := os.Stat(filepath.Join(s.Dir, "made.txt")); err == nil {
				t.Error("a file was written for it")
			}
			nothingLeft(t, s.ID)
		})
	}
}

// A usage reported by an agent is capped before it is added to others'.
func TestACPUsageIsCapped(t *testing.T) {
	a, s := hostile(t, "boasts")
	got := a.Run(t.Context(), s)
	if got.Status != agent.Done || got.Tokens != (agent.Tokens{In: 1e12, Out: 1e12}) || got.Cost != (agent.Cost{USD: 1e9, Known: true}) {
		t.Errorf("got %s %q %+v %+v", got.Status, got.Reason, got.Tokens, got.Cost)
	}
}

// A cancelled session is first asked to end, and its usage until then is known. Requests that it makes
// meanwhile are refused.
func TestCancelledSessionReportsItsUsage(t *testing.T) {
	a, s := hostile(t, "cancelled")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(s.Dir, "began")); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	got := a.Run(ctx, s)
	if got.Status != agent.Cancelled || got.Tokens.In != 10 || got.Tokens.Out != 5 {
		t.Errorf("got %s %q %v", got.Status, got.Reason, got.Tokens)
	}
	asked, _ := os.ReadFile(filepath.Join(s.Dir, "asked.txt"))
	for _, want := range []string{`"method":"session/cancel","params":{"sessionId":"s"}`, `"id":"late","result":{"outcome":{"outcome":"cancelled"}}`} {
		if !strings.Contains(string(asked), want) {
			t.Errorf("it did not receive %s:\n%s", want, asked)
		}
	}
}

// Errors are recognised by their code and kind; no message is parsed.
func TestErrorsByCodeAndKind(t *testing.T) {
	for data, want := range map[string]agent.Status{
		`{"code":-32000,"message":"429 Too Many Requests"}`:       agent.Unauthorised,
		`{"code":401,"message":"fine"}`:                           agent.Unauthorised,
		`{"code":429,"message":"401"}`:                            agent.Limited,
		`{"code":503,"message":""}`:                               agent.Limited,
		`{"code":500,"message":""}`:                               agent.Unreachable,
		`{"code":400,"message":"the prompt is too long"}`:         agent.Failed,
		`{"code":404,"message":""}`:                               agent.Unusable,
		`{"code":-32601,"message":""}`:                            agent.Unusable,
		`{"code":-32602,"message":""}`:                            agent.Unusable,
		`{"code":-32603,"message":"rate limit, log in, refused"}`: agent.Unreachable,
		`{"code":-32603,"message":"","data":{"statusCode":429}}`:  agent.Limited,
		`{"code":-32603,"message":"","data":["errorKind"]}`:       agent.Unreachable,
		`{"code":"429","message":1}`:                              agent.Unreachable,
	} {
		var said []string
		c := &acpStream{state: listening(gemini, agent.Session{Dir: "/tree"}), send: func(b []byte) { said = append(said, string(b)) }}
		c.initialize("")
		c.line([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`))
		c.line([]byte(`{"jsonrpc":"2.0","id":2,"error":` + data + `}`))
		if got := c.end(0, ""); got.status != want || !c.over || len(said) != 2 {
			t.Errorf("%s is %s, want %s; it was sent %q", data, got.status, want, said)
		}
	}
}

// The stop reason of a turn decides the session's result; that it ended does not.
func TestStopReasons(t *testing.T) {
	for _, c := range []struct {
		stop  string
		last  string
		calls map[string]string
		used  agent.Tokens
		want  agent.Status
	}{
		{stop: "end_turn", want: agent.Unreachable},
		{stop: "end_turn", last: "429: it is all done", want: agent.Unreachable},
		{stop: "end_turn", calls: map[string]string{"t": "read"}},
		{stop: "end_turn", used: agent.Tokens{In: 1}},
		{stop: "end_turn", last: `{"nonce": "n0nce", "status": "done"}`},
		{stop: "end_turn", last: `{"nonce": "0ther", "status": "done"}`, want: agent.Unreachable},
		{stop: "refusal", want: agent.Blocked},
		{stop: "max_tokens", last: `{"nonce": "n0nce", "status": "done"}`, want: agent.Failed},
		{stop: "max_turn_requests", want: agent.Failed},
		{stop: "cancelled", want: agent.Failed},
		{stop: "", want: agent.Failed},
		{stop: "success", last: `{"nonce": "n0nce", "status": "done"}`, want: agent.Failed},
	} {
		a := &acpStream{kinds: c.calls, state: &streamState{session: agent.Session{Nonce: "n0nce"}, tokens: c.used}}
		a.state.last.WriteString(c.last)
		if got := a.endOfTurn(c.stop); got.status != c.want {
			t.Errorf("%s %q is %q, want %q", c.stop, c.last, got.status, c.want)
		}
	}
}
