package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/acp"
	"github.com/git-plan/git-plan/testdata/contract"
)

// hostile is a session with an agent by the Agent Client Protocol, as testdata/agents/acp-unruly plays it.
func hostile(t *testing.T, story string) (*Agent, agent.Session) {
	c := NewACP(Agent{AgentName: "mine", Program: fake(t, "acp-unruly"), Args: []string{story}})
	c.stay = 200 * time.Millisecond
	return c, contract.Session(t, agent.Executor, story)
}

// TestHostilePeers: whatever an agent sends, and however it ends, its session ends as it should, and
// nothing of it is left.
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
		file   string // with what it was answered
		text   string
	}{
		"garbage": {want: agent.Done},
		"asks":    {want: agent.Done, file: "asked.txt", text: notOffered("71") + notOffered("72") + notOffered("73") + notOffered("74")},
		"early":   {want: agent.Done, file: "early.txt", text: cancelled(`"e1"`) + notOffered(`"e2"`) + notOffered(`"e3"`)},
		"endless": {want: agent.Done},
		"stops":   {want: agent.Done, file: "asked.txt", text: `{"jsonrpc":"2.0","id":"p","result":{"outcome":{"optionId":"no","outcome":"selected"}}}` + "\n"},
		"flood":   {want: agent.Failed, reason: "it does not read what is sent to it"},
		"never":   {idle: 300 * time.Millisecond, want: agent.Unreachable, reason: "no sign of life for 300ms, nor of its model"},
		"deaf":    {idle: 300 * time.Millisecond, want: agent.TimedOut, reason: "no sign of life for 300ms"},
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

// What an agent says that it used is counted as far as it can be: it is summed up with others'.
func TestAnAgentThatBoastsIsNotBelieved(t *testing.T) {
	a, s := hostile(t, "boasts")
	got := a.Run(t.Context(), s)
	if got.Status != agent.Done || got.Tokens != (agent.Tokens{In: 1e12, Out: 1e12}) || got.Cost != (agent.Cost{USD: 1e9, Known: true}) {
		t.Errorf("got %s %q %+v %+v", got.Status, got.Reason, got.Tokens, got.Cost)
	}
}

// A session that is cancelled is asked to end first, and what it used by then is known. What it asks
// meanwhile is not allowed any more.
func TestACancelledSessionSaysWhatItUsed(t *testing.T) {
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
			t.Errorf("it did not hear %s:\n%s", want, asked)
		}
	}
}

// Errors are known by their code and their kind; no word of a message is read.
func TestErrorsByCodeAndKind(t *testing.T) {
	for data, want := range map[string]agent.Status{
		`{"code":-32000,"message":"429 Too Many Requests"}`:                                   agent.Unauthorised,
		`{"code":401,"message":"fine"}`:                                                       agent.Unauthorised,
		`{"code":429,"message":"401"}`:                                                        agent.Limited,
		`{"code":503,"message":""}`:                                                           agent.Limited,
		`{"code":500,"message":""}`:                                                           agent.Unreachable,
		`{"code":400,"message":"the prompt is too long"}`:                                     agent.Failed,
		`{"code":404,"message":""}`:                                                           agent.Unusable,
		`{"code":-32601,"message":""}`:                                                        agent.Unusable,
		`{"code":-32602,"message":""}`:                                                        agent.Unusable,
		`{"code":-32603,"message":"rate limit, log in, refused"}`:                             agent.Unreachable,
		`{"code":-32603,"message":"","data":{"statusCode":429}}`:                              agent.Limited,
		`{"code":-32603,"message":"","data":{"errorKind":"authentication_failed"}}`:           agent.Unauthorised,
		`{"code":-32603,"message":"","data":{"errorKind":"rate_limit"}}`:                      agent.Limited,
		`{"code":-32603,"message":"","data":{"errorKind":"server_error"}}`:                    agent.Unreachable,
		`{"code":-32603,"message":"","data":{"errorKind":"max_output_tokens"}}`:               agent.Failed,
		`{"code":-32603,"message":"","data":{"errorKind":"model_not_found"}}`:                 agent.Unusable,
		`{"code":-32603,"message":"","data":{"errorKind":"overloaded"}}`:                      agent.Limited,
		`{"code":-32603,"message":"","data":{"errorKind":"transport_lost"}}`:                  agent.Unreachable,
		`{"code":-32603,"message":"","data":{"errorKind":"account_on_hold"}}`:                 agent.Unauthorised,
		`{"code":-32603,"message":"","data":{"errorKind":"invalid_request"}}`:                 agent.Failed,
		`{"code":-32603,"message":"","data":{"errorKind":"something_new"}}`:                   agent.Failed,
		`{"code":-32603,"message":"","data":{"errorKind":"unknown"}}`:                         agent.Unreachable,
		`{"code":-32603,"message":"","data":["errorKind"]}`:                                   agent.Unreachable,
		`{"code":"429","message":1}`:                                                          agent.Unreachable,
		`{"code":-32603,"message":"","data":{"errorKind":"server_error","statusCode":"429"}}`: agent.Unreachable,
	} {
		var said []string
		c := acp.New(acp.Options{Dir: "/tree"}, func(b []byte) { said = append(said, string(b)) })
		c.Begin()
		c.Hear([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`))
		c.Hear([]byte(`{"jsonrpc":"2.0","id":2,"error":` + data + `}`))
		e := c.Ended()
		if e.Fault == nil || len(said) != 2 {
			t.Errorf("%s: it is no error: %+v, %q", data, e, said)
			continue
		}
		if got := (ending{}).acpFault(e); got.status != want {
			t.Errorf("%s is %s, want %s", data, got.status, want)
		}
	}
}

// Why a turn ended says how its session did; that it ended does not.
func TestWhyATurnEnded(t *testing.T) {
	for _, c := range []struct {
		stop string
		last string
		end  acp.End
		want agent.Status
	}{
		{stop: "end_turn", want: agent.Unreachable},
		{stop: "end_turn", last: "429: it is all done", want: agent.Unreachable},
		{stop: "end_turn", end: acp.End{Called: true}},
		{stop: "end_turn", end: acp.End{Usage: acp.Usage{Known: true}}},
		{stop: "end_turn", last: `{"nonce": "n0nce", "status": "done"}`},
		{stop: "end_turn", last: `{"nonce": "0ther", "status": "done"}`, want: agent.Unreachable},
		{stop: "refusal", want: agent.Blocked},
		{stop: "max_tokens", last: `{"nonce": "n0nce", "status": "done"}`, want: agent.Failed},
		{stop: "max_turn_requests", want: agent.Failed},
		{stop: "cancelled", want: agent.Failed},
		{stop: "", want: agent.Failed},
		{stop: "success", last: `{"nonce": "n0nce", "status": "done"}`, want: agent.Failed},
	} {
		c.end.Stop = c.stop
		if got := (ending{last: c.last}).stopped(c.end, "n0nce"); got.status != c.want {
			t.Errorf("%s %q is %q, want %q", c.stop, c.last, got.status, c.want)
		}
	}
}

// A turn that ends as any other, but says in its form that it failed and why, is no done one, whatever was said in it.
func TestTurnsThatSayWhyTheyFailed(t *testing.T) {
	for failure, want := range map[string]agent.Status{
		`{"category":"access","severity":"error","actions":["login"]}`:                   agent.Unauthorised,
		`{"category":"limit","severity":"error","actions":["retry"]}`:                    agent.Limited,
		`{"category":"limit","severity":"error","actions":[]}`:                           agent.Unauthorised,
		`{"category":"limit","severity":"error","actions":["new_session"]}`:              agent.Failed,
		`{"category":"connection","severity":"error","actions":["retry","new_session"]}`: agent.Unreachable,
		`{"category":"service","severity":"error","actions":["retry"]}`:                  agent.Unreachable,
		`{"category":"request","severity":"error","actions":[]}`:                         agent.Failed,
		`{"category":"else","severity":"error","title":"429"}`:                           agent.Failed,
		`{"category":"limit","severity":"warning","actions":["retry"]}`:                  "",
		`{"category":7,"severity":"error","actions":{}}`:                                 agent.Failed,
		`"limit"`: "",
	} {
		a := &acpStream{nonce: "n0nce", out: &outbox{}, client: acp.New(acp.Options{Dir: "/tree"}, func([]byte) {})}
		a.client.Begin()
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`, `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`,
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\"nonce\": \"n0nce\", \"status\": \"done\"}"}}}}`,
			`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","_meta":{"jetbrains":{"air":{"sessionFailure":` + failure + `}}}}}`,
		} {
			for _, e := range a.client.Hear([]byte(line)) {
				if e.Kind == acp.Said {
					a.heard(e)
				}
			}
		}
		if got := a.end(exited{}); got.status != want {
			t.Errorf("%s is %q, want %q", failure, got.status, want)
		}
	}
}

// What the provider does not take at all is a setting; what it no longer takes after work was done is not.
func TestARequestThatFailsBeforeAnyWorkIsASetting(t *testing.T) {
	for _, c := range []struct {
		category     string
		called, said bool
		want         agent.Status
	}{
		{"request", false, false, agent.Unusable},
		{"request", true, false, agent.Failed},
		{"request", false, true, agent.Failed},
		{"service", false, false, agent.Unreachable},
		{"service", false, true, agent.Unreachable},
		{"service", true, false, agent.Failed},
		{"else", false, false, agent.Failed},
	} {
		if got := (ending{}).turnFailed(acp.Failure{Category: c.category}, c.called, c.said); got.status != c.want {
			t.Errorf("%+v is %q", c, got.status)
		}
	}
}
