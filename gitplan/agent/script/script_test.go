package script_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
)

// reported is the beginning of a session's conversation.
func reported(step string) []model.Message {
	return []model.Message{{Role: "system", Text: "Role: executor\nDo it."},
		{Role: "user", Text: "Step: quoted\nBranch: b\"1\nStep: " + step + "\nAttempt: 2"}}
}

// ask asks a server for the next turn of a conversation.
func ask(t *testing.T, server *script.Server, messages []model.Message) (model.Turn, error) {
	t.Helper()
	e := &model.Endpoint{BaseURL: server.URL(), FirstDelay: time.Microsecond, Wait: time.Minute}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	return e.Ask(t.Context(), model.Request{Model: "m", Messages: messages}, func(agent.Event) {})
}

func serve(t *testing.T, lanes ...script.Lane) *script.Server {
	t.Helper()
	server, err := script.Serve(script.Script{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// TestPlayedRecording: turns come in order, with captured texts filled in, and each fault once before its
// turn.
func TestPlayedRecording(t *testing.T) {
	cost := 0.25
	lane := script.Lane{Role: agent.Executor, Step: "one", Attempt: 2, Capture: map[string]string{"branch": `(?m)^Branch: (\S+)$`, "step": `(?m)^Step: (one)$`}, Turns: []script.Turn{
		{Think: "hm", Say: "I look at ${branch}, a longer text than one piece.", Usage: &script.Usage{In: 10, Cached: 4, Out: 2, Cost: &cost},
			Faults: []script.Fault{{Status: 500}, {Status: 503, Body: "{}", RetryAfter: "0.001"}, {StallMS: 1}},
			Calls:  []script.Call{{Name: "search", Args: json.RawMessage(`{"pattern":"${branch} ${step}"}`)}, {Name: "list_files"}}},
		{Expect: "^nothing$", Say: "Well", Finish: "length", Faults: []script.Fault{{}}}}}
	server := serve(t, lane)
	messages := reported("one")
	got, err := ask(t, server, messages)
	if err != nil {
		t.Fatal(err)
	}
	if got.Text != `I look at b"1, a longer text than one piece.` || got.Thoughts != "hm" || got.Tokens != (agent.Tokens{In: 10, Cached: 4, Out: 2}) ||
		len(got.Calls) != 2 || got.Calls[0].Args != `{"pattern":"b\"1 one"}` || got.Calls[1].Args != "{}" {
		t.Errorf("%+v", got)
	}
	messages = append(messages, got.Message)
	for _, c := range got.Calls {
		messages = append(messages, model.Message{Role: "tool", CallID: c.ID, Text: "nothing"})
	}
	if got, err = ask(t, server, messages); err != nil || !got.Cut || got.Text != "Well" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestUnrecordedRequestsAreRefused: another session, another last message, a turn too many.
func TestUnrecordedRequestsAreRefused(t *testing.T) {
	server := serve(t, script.Lane{Role: agent.Executor, Step: "one", Turns: []script.Turn{{Say: "a"}, {Expect: "never said", Say: "b"}}},
		script.Lane{Role: agent.Reviewer, Reviewer: "quality", Round: 2, Turns: []script.Turn{{Say: "c"}}})
	later := slices.Clip(append(reported("one"), model.Message{Role: "assistant", Text: "a"}))
	for want, messages := range map[string][]model.Message{
		"role executor, step two, attempt 2 was asked for, the recording has role executor, step one; role reviewer, reviewer quality, round 2": reported("two"),
		`turn 2 of role executor, step one, attempt 2: the recording expects a last message like "never said"`:                                  append(later, model.Message{Role: "user", Text: "go on"}),
		"turn 3 of role executor, step one, attempt 2 was asked for, the recording has 2 turns":                                                 append(later, model.Message{Role: "assistant", Text: "b"}),
	} {
		if _, err := ask(t, server, messages); err == nil || !strings.Contains(err.Error(), "unexpected_request: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestRead: errors in a recording are reported when it is read.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`{`:              "unexpected end",
		`{"lanes":[{}]}`: "lane 1 names no role",
		`{"lanes":[{"role":"fixer","capture":{"x":"y"}}]}`:               "lane role fixer: the expression of x must have one group",
		`{"lanes":[{"role":"fixer","turns":[{"expect":"("}]}]}`:          "lane role fixer, turn 1: error parsing regexp",
		`{"lanes":[{"role":"fixer","attempt":3,"turns":[{"say":"x"}]}]}`: "",
	} {
		file := filepath.Join(t.TempDir(), "recording.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := script.Read(file)
		if want == "" && (err != nil || len(s.Lanes) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := script.Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing recording was read")
	}
}
