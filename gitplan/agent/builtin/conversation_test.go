package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

// calling is a turn with one call.
func calling(name, args string) script.Turn {
	return script.Turn{Calls: []script.Call{{Name: name, Args: json.RawMessage(args)}}}
}

func expecting(last string, t script.Turn) script.Turn { t.Expect = last; return t }

// converse is an executor's session with a model that plays turns.
func converse(t *testing.T, set func(*Agent, *agent.Session), turns ...script.Turn) agent.Result {
	t.Helper()
	server := serve(t, script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: turns}}})
	o := Agent{Endpoint: model.Endpoint{BaseURL: server.URL(), Key: contract.Key, FirstDelay: time.Microsecond}, Model: "m"}
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

func done() script.Turn { return calling("finish", `{"status":"done"}`) }

// TestMistakes: a model is told what was wrong with its call, and continues.
func TestMistakes(t *testing.T) {
	for name, turns := range map[string][]script.Turn{
		"unknown tool":      {calling("browse", `{}`), expecting(`no tool "browse"; there are read_file, .*finish`, done())},
		"missing argument":  {calling("read_file", `{}`), expecting(`needs the argument "path"`, done())},
		"wrong status":      {calling("finish", `{"status":"great"}`), expecting("must be one of done, blocked, failed", done())},
		"no question":       {calling("finish", `{"status":"blocked"}`), expecting("needs a question", done())},
		"text, then a call": {{Say: "I am done"}, expecting("If all is done, call finish with", done())},
		"cut off":           {{Say: "Well", Finish: "length"}, expecting("smaller pieces", done())},
		"finish is not last": {
			{Calls: []script.Call{{Name: "finish", Args: json.RawMessage(`{"status":"done"}`)}, {Name: "list_files"}}},
			expecting("(?s).", done())},
		"finish with a failing call": {
			{Calls: []script.Call{{Name: "read_file", Args: json.RawMessage(`{"path":"gone"}`)}, {Name: "finish", Args: json.RawMessage(`{"status":"done"}`)}}},
			expecting("another of your calls failed", done())},
		"finish with the last edit": {{Calls: []script.Call{{Name: "write_file", Args: json.RawMessage(`{"path":"f","content":"x"}`)}, {Name: "finish", Args: json.RawMessage(`{"status":"done"}`)}}}},
		"names of other tools": {calling("functions.Write", `{"file_path":"f","contents":"x\n"}`), expecting("wrote f", calling("bash", `{"cmd":"cat f"}`)),
			expecting("x\\n.exit code 0", calling("complete_task", `{"result":"done"}`))},
		"invalid JSON":           {{Calls: []script.Call{{Name: "write_file", Raw: "{\"path\": \"f\", \"content\": \"a\nb\\d\",\n}"}}}, expecting("wrote f: 1 lines, 5 bytes", done())},
		"the final call as text": {{Say: "All is there.\n```json\n{\"status\": \"completed\", \"summary\": \"did it\",}\n```"}},
		"an empty turn":          {{}, expecting("call the next tool", done())},
		"occasional mistakes":    {calling("x", `{}`), calling("x", `{}`), calling("list_files", `{}`), calling("x", `{}`), calling("x", `{}`), done()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract.Want(t, converse(t, nil, turns...), agent.Done, "")
		})
	}
}

// TestSessionIsEnded: limits end a session that does not end by itself.
func TestSessionIsEnded(t *testing.T) {
	var same, cycle []script.Turn
	for i := range 20 {
		same = append(same, calling("list_files", `{}`))
		cycle = append(cycle, calling("list_files", fmt.Sprintf(`{"depth":%d}`, i%3+1)))
	}
	var errs, back, clock, wide []script.Turn
	for i := range 24 {
		errs = append(errs, calling("edit_file", fmt.Sprintf(`{"path":"f","old":"gone %d","new":"x"}`, i%3)))
		back = append(back, calling("write_file", fmt.Sprintf(`{"path":"f","content":"%d"}`, i%2)))
		clock = append(clock, calling("run_command", `{"command":"echo Ran 3 tests in $(date +0.%Ns)"}`))
		turn := script.Turn{}
		for j := range 6 {
			turn.Calls = append(turn.Calls, script.Call{Name: "read_file", Args: json.RawMessage(fmt.Sprintf(`{"path":"f%d"}`, j))})
		}
		wide = append(wide, turn)
	}
	var unread []script.Turn
	for i := range 8 {
		unread = append(unread, calling("read_file", fmt.Sprintf(`{"name":%d}`, i)))
	}
	limit := func(n int) func(*Agent, *agent.Session) { return func(_ *Agent, s *agent.Session) { s.MaxTurns = n } }
	for name, c := range map[string]struct {
		set    func(*Agent, *agent.Session)
		turns  []script.Turn
		reason string
	}{
		"unreadable calls":          {nil, unread, "8 tool calls in a row"},
		"the same again":            {nil, same, "repeats itself"},
		"in a cycle":                {nil, cycle, "repeats itself"},
		"three errors again":        {nil, errs, "repeats itself: edit_file with the same arguments and the same answer, 5 times"},
		"back and forth":            {nil, back, "repeats itself: write_file"},
		"the same except for times": {nil, clock, "repeats itself: run_command"},
		"six calls in a turn":       {nil, wide, "repeats itself: read_file"},
		"text only":                 {nil, []script.Turn{{Say: "a"}, {Say: "b"}, {Say: "c"}}, "gave no answer: text without a tool call, 3 times (the model must call tools, and the server's context may be too small: git plan man agents)"},
		"too many turns":            {limit(2), []script.Turn{calling("list_files", `{}`), expecting("1 of 2 turns are left", calling("search", `{"pattern":"x"}`))}, "all 2 turns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract.Want(t, converse(t, c.set, c.turns...), agent.Failed, c.reason)
		})
	}
}

// TestProgressIsNotRepetition: the same test that fails in the same way may be run again after each edit.
func TestProgressIsNotRepetition(t *testing.T) {
	var turns []script.Turn
	for i := range 8 {
		turns = append(turns, calling("write_file", fmt.Sprintf(`{"path":"f","content":"%d"}`, i)), calling("run_command", `{"command":"false"}`))
	}
	contract.Want(t, converse(t, nil, append(turns, done())...), agent.Done, "")
}

// TestManyCallsInATurn: each is answered once, in order; writes happen in order.
func TestManyCallsInATurn(t *testing.T) {
	first := script.Turn{}
	for i := range 5 {
		first.Calls = append(first.Calls,
			script.Call{Name: "run_command", Args: json.RawMessage(fmt.Sprintf(`{"command":"echo %d >>log"}`, i))},
			script.Call{Name: "read_file", Args: json.RawMessage(`{"path":"log"}`)},
			script.Call{Name: "search", Args: json.RawMessage(`{"pattern":"[0-9]"}`)})
	}
	var log bytes.Buffer
	var dir string
	got := converse(t, func(_ *Agent, s *agent.Session) { s.Transcript, dir = &log, s.Dir }, first, expecting("log:5: 4", done()))
	contract.Want(t, got, agent.Done, "")
	if b, _ := os.ReadFile(filepath.Join(dir, "log")); string(b) != "0\n1\n2\n3\n4\n" {
		t.Errorf("log: %q", b)
	}
	var answers []agent.AnswerRecord
	for l := range strings.Lines(log.String()) {
		var r agent.Record
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatal(err)
		}
		if r.Turn == 1 && r.Answers != nil {
			answers = r.Answers
		}
	}
	if len(answers) != 15 || answers[4].Text != "1|0\n2|1\n" {
		t.Errorf("%d answers: %v", len(answers), answers)
	}
}

// TestTooMuchInATurn: calls and answers of one turn are limited, and each call is answered all the same.
func TestTooMuchInATurn(t *testing.T) {
	var many, large script.Turn
	for i := range agent.MaxCalls + 1 {
		many.Calls = append(many.Calls, script.Call{Name: "list_files", Args: json.RawMessage(fmt.Sprintf(`{"depth":%d}`, i+1))})
	}
	for i := range 8 {
		large.Calls = append(large.Calls, script.Call{Name: "run_command", Args: json.RawMessage(fmt.Sprintf(`{"command":"seq %d"}`, 50000+i))})
	}
	got := converse(t, nil, many, expecting("too many calls", large), expecting("ask for less at once", done()))
	contract.Want(t, got, agent.Done, "")
}

// TestWaitingIsNotSilence: neither a provider's rate limit nor the checks of a result count as silence of the
// session.
func TestWaitingIsNotSilence(t *testing.T) {
	end := done()
	end.Faults = []script.Fault{{Status: 429, RetryAfter: "1.2"}}
	got := converse(t, func(o *Agent, s *agent.Session) {
		o.Endpoint.Wait, s.Idle = time.Minute, time.Second
		s.Accept = func(ctx context.Context, _ agent.Result) error { time.Sleep(1200 * time.Millisecond); return ctx.Err() }
	}, end)
	contract.Want(t, got, agent.Done, "")
}

// TestMoney: tokens are summed, costs are known where there is a price, and the budget is checked before each
// call.
func TestMoney(t *testing.T) {
	cents := 0.25
	first, last := calling("list_files", `{}`), done()
	first.Usage, last.Usage = &script.Usage{In: 1000, Cached: 400, Out: 100}, &script.Usage{In: 1200, Cached: 1000, Out: 10}
	price := func(o *Agent, _ *agent.Session) { o.Price = agent.Price{In: 10, Cached: 1, Out: 100} }
	got := converse(t, price, first, last)
	if (got.Tokens != agent.Tokens{In: 2200, Cached: 1400, Out: 110}) || !got.Cost.Known || fmt.Sprintf("%.4f", got.Cost.USD) != "0.0204" {
		t.Errorf("%+v %+v", got.Tokens, got.Cost)
	}
	if got = converse(t, nil, first, last); got.Cost.Known {
		t.Errorf("a cost without a price: %v", got.Cost)
	}
	got = converse(t, price, first, done()) // the second answer has no usage
	if (got.Tokens != agent.Tokens{In: 1000, Cached: 400, Out: 100, Unreported: 1}) || got.Tokens.String() != "at least 1000 tokens in (400 cached), 100 out" {
		t.Errorf("%+v", got.Tokens)
	}
	if got = converse(t, price, done()); got.Cost.Known || got.Tokens.String() != "tokens unknown" {
		t.Errorf("what was not reported is %v, %v", got.Cost, got.Tokens)
	}
	last.Usage.Cost = &cents
	if got = converse(t, nil, last); got.Cost != (agent.Cost{USD: 0.25, Known: true}) {
		t.Errorf("the provider's own price: %v", got.Cost)
	}
	got = converse(t, func(_ *Agent, s *agent.Session) {
		s.Spend = func(used agent.Tokens, _ agent.Cost) error {
			if used.In >= 1000 {
				return errors.New("over")
			}
			return nil
		}
	}, first, last)
	if contract.Want(t, got, agent.Stopped, "over"); got.Tokens.In != 1000 {
		t.Errorf("%+v", got.Tokens)
	}
}

// TestNoSecretIsReported: neither transcript nor events nor the reason contain a key, and events contain no
// escape sequences.
func TestNoSecretIsReported(t *testing.T) {
	var log bytes.Buffer
	var events []agent.Event
	var mu sync.Mutex
	say := script.Turn{Say: "the key is " + contract.Key + " \u001b[31mred\u202e\nnext line",
		Calls: []script.Call{{Name: "run_command", Args: json.RawMessage(`{"command":"echo ` + contract.Key + ` sk-live-abcdef123456"}`)}}}
	got := converse(t, func(_ *Agent, s *agent.Session) {
		s.Transcript = &log
		s.On = func(e agent.Event) { mu.Lock(); events = append(events, e); mu.Unlock() }
	}, say, script.Turn{Faults: []script.Fault{{Status: 500}}, Calls: []script.Call{{Name: "finish",
		Args: json.RawMessage(`{"status":"failed","summary":"because of ` + contract.Key + `"}`)}}})
	reported := log.String() + fmt.Sprint(events) + got.Reason
	if strings.Contains(reported, contract.Key) || strings.Contains(reported, "sk-live") {
		t.Errorf("a key is in\n%s", reported)
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, string(e.Kind)+":"+e.Tool)
		if strings.ContainsAny(e.Text, "\x1b\n\u202e") {
			t.Errorf("%q", e.Text)
		}
	}
	if k := strings.Join(kinds, " "); k != "text: text: tool:run_command waiting: tool:finish" {
		t.Errorf("events: %s", k)
	}
	if !strings.Contains(log.String(), "[redacted]") {
		t.Error("nothing was redacted")
	}
}

// TestUnrecordedRequests: a request that is not recorded ends the session with what was requested and what is
// recorded.
func TestUnrecordedRequests(t *testing.T) {
	server := serve(t, script.Script{Lanes: []script.Lane{{Role: agent.Executor, Step: "one", Turns: []script.Turn{expecting("never said", done())}}, {Role: agent.Planner, Turns: []script.Turn{done()}}}})
	a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: server.URL()}, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	contract.Want(t, a.Run(t.Context(), contract.Session(t, agent.Executor, "two")), agent.Unusable, "unexpected_request: role executor, step two, attempt 1 was asked for, the recording has role executor, step one; role planner")
	contract.Want(t, a.Run(t.Context(), contract.Session(t, agent.Executor, "one")), agent.Unusable, `expects a last message like "never said"`)
}

// TestParallelSessions: one server plays many sessions at once, each from its own beginning, including
// faults.
func TestParallelSessions(t *testing.T) {
	second := expecting("wrote 7.txt|wrote [0-9]+.txt", calling("finish", `{"status":"done","summary":"${step} of ${branch}"}`))
	second.Faults = []script.Fault{{Status: 500}, {StallMS: 1}, {Status: 429, RetryAfter: "0.001"}}
	server := serve(t, script.Script{Lanes: []script.Lane{{Role: agent.Executor, Capture: map[string]string{"branch": `(?m)^On (\S+)$`, "step": `(?m)^Step: (\d+)$`},
		Turns: []script.Turn{calling("write_file", `{"path":"${step}.txt","content":"x"}`), second}}}})
	a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: server.URL(), FirstDelay: time.Microsecond, Wait: time.Minute}, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 10 {
		s := contract.Session(t, agent.Executor, fmt.Sprint(i))
		s.Prompt.User = fmt.Sprintf("Step: not this\nOn b\"%d\nStep: %d\n", i, i)
		all.Go(func() {
			got := a.Run(t.Context(), s)
			if wanted := fmt.Sprintf("%d of b\"%d", i, i); got.Status != agent.Done || got.Summary != wanted {
				t.Errorf("got %s %q %q", got.Status, got.Reason, got.Summary)
			}
		})
	}
	all.Wait()
}
