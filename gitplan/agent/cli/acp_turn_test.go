package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// talkACP begins a session and feeds the client the agent's answers, line by line. It returns what the client
// sent.
func talkACP(s agent.Session, lines ...string) (c *acpStream, sent []string) {
	return talkWith(&acpStream{}, s, lines...)
}

func talkWith(c *acpStream, s agent.Session, lines ...string) (_ *acpStream, sent []string) {
	s.Dir, s.Nonce = "/tree", "n0nce"
	c.state = listening(gemini, s)
	c.send = func(b []byte) { sent = append(sent, strings.TrimSuffix(string(b), "\n")) }
	c.initialize("Do <it>.")
	for _, l := range lines {
		c.line([]byte(l))
	}
	return c, sent
}

const (
	speaks = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`
	opens  = `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`
)

func updates(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

// A session is opened without files, terminals and MCP servers; its events arrive in order.
func TestACPSession(t *testing.T) {
	var log bytes.Buffer
	var events []agent.Event
	session := agent.Session{Transcript: &log, On: func(e agent.Event) { events = append(events, e) }}
	c, sent := talkACP(session, speaks, opens,
		updates(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`),
		updates(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Run it","kind":"execute","status":"pending","rawInput":{"command":"make"}}`),
		updates(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"}`),
		updates(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"made"}}]}`),
		updates(`{"sessionUpdate":"tool_call","toolCallId":"t2","title":"Read a.go","kind":"read","status":"completed","rawOutput":{"lines":2}}`),
		updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"It is"}}`),
		updates(`{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":0.5,"currency":"USD"}}`),
		`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","usage":{"inputTokens":9,"outputTokens":3,"totalTokens":12}}}`,
		updates(`{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":0.75,"currency":"USD"}}`),
		updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" late"}}`))
	want := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"git-plan","title":"git plan","version":"1"},"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/tree","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"prompt":[{"text":"Do \u003cit\u003e.","type":"text"}],"sessionId":"s"}}`,
	}
	if !slices.Equal(sent, want) {
		t.Errorf("it sent\n%s", strings.Join(sent, "\n"))
	}
	c.state.end()
	wanted := []agent.Event{{Kind: agent.CalledTool, Tool: "execute", Text: "make"}, {Kind: agent.CalledTool, Tool: "read", Text: "Read a.go"},
		{Kind: agent.SaidText, Text: "It is"}}
	if !slices.Equal(events, wanted) || c.state.turns != 3 {
		t.Errorf("%d turns, read %+v", c.state.turns, events)
	}
	for _, want := range []string{`"args":"Run it {\"command\":\"make\"}"`, `{"id":"t1","text":"made"}`, `{"id":"t2","text":"{\"lines\":2}"}`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in\n%s", want, &log)
		}
	}
	end := c.end(0, "")
	if end.status != "" || !c.over || end.tokens != (agent.Tokens{In: 9, Out: 3}) || end.cost != (agent.Cost{USD: 0.75, Known: true}) {
		t.Errorf("ended %+v", end)
	}
	if c.cancel() {
		t.Error("a session that has ended was cancelled")
	}
}

// Permissions: writers may use all tools that change the tree, readers those that read; tools of another kind
// or none are refused, and a permission is only for one call.
func TestPermissions(t *testing.T) {
	const all = `{"optionId":"A","kind":"allow_always"},{"optionId":"y","kind":"allow_once"},{"optionId":"N","kind":"reject_always"},{"optionId":"n","kind":"reject_once"}`
	roles := map[bool]agent.Role{true: agent.Executor, false: agent.Reviewer}
	for _, c := range []struct {
		call, options  string
		writer, reader string // the option that is selected; "": cancelled
	}{
		{`"kind":"read"`, all, "y", "y"},
		{`"kind":"search"`, all, "y", "y"},
		{`"kind":"think"`, all, "y", "y"},
		{`"kind":"edit"`, all, "y", "n"},
		{`"kind":"delete"`, all, "y", "n"},
		{`"kind":"move"`, all, "y", "n"},
		{`"kind":"execute"`, all, "y", "n"},
		{`"kind":"fetch"`, all, "n", "n"},
		{`"kind":"switch_mode"`, all, "n", "n"},
		{`"kind":"other"`, all, "n", "n"},
		{`"kind":"READ"`, all, "n", "n"},
		{`"title":"no kind"`, all, "n", "n"},
		{`"toolCallId":"known"`, all, "y", "n"}, // as it was reported before: edit
		{`"toolCallId":"known","kind":"read"`, all, "y", "y"},
		{`"kind":"edit"`, `{"optionId":"A","kind":"allow_always"},{"optionId":"N","kind":"reject_always"}`, "", ""},
		{`"kind":"edit"`, ``, "", ""},
		{`"kind":7`, all, "n", "n"},
	} {
		for writes, want := range map[bool]string{true: c.writer, false: c.reader} {
			_, sent := talkACP(agent.Session{Role: roles[writes]}, speaks, opens,
				updates(`{"sessionUpdate":"tool_call","toolCallId":"known","kind":"edit","status":"pending"}`),
				`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{`+c.call+`},"options":[`+c.options+`]}}`)
			answer := `{"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"cancelled"}}}`
			if want != "" {
				answer = `{"jsonrpc":"2.0","id":"q","result":{"outcome":{"optionId":"` + want + `","outcome":"selected"}}}`
			}
			if got := sent[len(sent)-1]; got != answer {
				t.Errorf("writes %v, %s: %s", writes, c.call, got)
			}
		}
	}
}

// An agent that ends its turn when a call is refused is asked to continue without it, in the same session and
// without a permission; not once it has answered, and not for ever.
func TestTurnContinuesAfterARefusal(t *testing.T) {
	const (
		options = `"options":[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]`
		refused = `{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"execute"},` + options + `}}`
		allowed = `{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"read"},` + options + `}}`
	)
	ends := func(more string) string { return `{"id":3,"result":{` + more + `}}` }
	for name, c := range map[string]struct {
		asked, end string
		answered   bool
		goes       bool
	}{
		"refused":             {asked: refused, end: ends(`"stopReason":"end_turn"`), goes: true},
		"refused, cancelled":  {asked: refused, end: ends(`"stopReason":"cancelled"`), goes: true},
		"refused, answered":   {asked: refused, end: ends(`"stopReason":"end_turn"`), answered: true},
		"allowed":             {asked: allowed, end: ends(`"stopReason":"end_turn"`)},
		"refused, refusal":    {asked: refused, end: ends(`"stopReason":"refusal"`)},
		"refused, max_tokens": {asked: refused, end: ends(`"stopReason":"max_tokens"`)},
		"refused, error":      {asked: refused, end: `{"id":3,"error":{"code":-32603}}`},
	} {
		said := "I wait."
		if c.answered {
			said = `{\"nonce\": \"n0nce\", \"status\": \"done\"}`
		}
		client, sent := talkACP(agent.Session{}, speaks, opens, c.asked,
			updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+said+`"}}`), c.end)
		last := sent[len(sent)-1]
		if goes := strings.Contains(last, `"id":4,"method":"session/prompt"`) && strings.Contains(last, `"sessionId":"s"`); goes != c.goes || client.over == c.goes {
			t.Errorf("%s: over is %v, it sent %s", name, client.over, last)
		}
	}

	lines := []string{speaks, opens}
	for i := range 2 * maxResumed {
		lines = append(lines, refused, fmt.Sprintf(`{"id":%d,"result":{"stopReason":"end_turn","usage":{"inputTokens":7,"outputTokens":1}}}`, i+3))
	}
	client, sent := talkACP(agent.Session{}, lines...)
	all := strings.Join(sent, "\n")
	if !client.over || client.refused != "execute" || client.state.tokens != (agent.Tokens{In: 7 * (maxResumed + 1), Out: maxResumed + 1}) {
		t.Errorf("ended %+v", client.end(0, ""))
	}
	if total, _ := talkWith(&acpStream{total: true}, agent.Session{}, lines...); total.state.tokens != (agent.Tokens{In: 7, Out: 1}) {
		t.Errorf("ended %+v", total.ended)
	}
	if strings.Count(all, "session/prompt") != maxResumed+1 || strings.Contains(all, `"optionId":"y"`) {
		t.Errorf("it sent\n%s", all)
	}

	client, sent = talkACP(agent.Session{}, speaks, opens, refused)
	client.cancel()
	client.line([]byte(ends(`"stopReason":"cancelled"`)))
	if !client.over {
		t.Errorf("a cancelled session continues: %q", sent)
	}
}

// A request of another session, or of a cancelled one, is not granted.
func TestNoPermissionOutsideOfASession(t *testing.T) {
	ask := func(session string) string {
		return `{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"` + session + `","toolCall":{"kind":"read"},"options":[{"optionId":"y","kind":"allow_once"}]}}`
	}
	_, sent := talkACP(agent.Session{}, ask(""), speaks, ask(""), opens, ask("other"))
	if joined := strings.Join(sent, "\n"); strings.Contains(joined, `"selected"`) || strings.Count(joined, `"cancelled"`) != 3 {
		t.Errorf("it sent\n%s", joined)
	}
	c, sent := talkACP(agent.Session{}, speaks, opens)
	if !c.cancel() {
		t.Error("it cannot be cancelled")
	}
	c.line([]byte(ask("s")))
	_, long := talkACP(agent.Session{}, speaks, opens, strings.Replace(ask("s"), `"y"`, `"`+strings.Repeat("y", maxID+1)+`"`, 1))
	if got := long[len(long)-1]; !strings.Contains(got, `"cancelled"`) {
		t.Errorf("it sent %.80s", got)
	}
	if c.line([]byte(fmt.Sprintf(`{"id":"%s","method":"x"}`, strings.Repeat("i", maxID)))); len(sent) != 3 {
		t.Errorf("it sent %q", sent)
	}
}

// Agents count in different ways; the total has the same meaning.
func TestUsage(t *testing.T) {
	for result, want := range map[string]agent.Tokens{
		`"usage":{"inputTokens":100,"outputTokens":7,"cachedReadTokens":40,"totalTokens":107}`:                       {In: 100, Cached: 40, Out: 7},
		`"usage":{"inputTokens":60,"outputTokens":7,"cachedReadTokens":40,"totalTokens":107}`:                        {In: 100, Cached: 40, Out: 7},
		`"usage":{"inputTokens":50,"outputTokens":7,"cachedReadTokens":40,"cachedWriteTokens":10,"totalTokens":107}`: {In: 100, Cached: 40, Written: 10, Out: 7},
		`"usage":{"inputTokens":60,"outputTokens":4,"cachedReadTokens":40,"thoughtTokens":3,"totalTokens":107}`:      {In: 100, Cached: 40, Out: 7},
		`"usage":{"inputTokens":100,"outputTokens":4,"thoughtTokens":3,"totalTokens":107}`:                           {In: 100, Out: 7},
		`"usage":{"inputTokens":100,"outputTokens":7}`:                                                               {In: 100, Out: 7},
		`"_meta":{"quota":{"token_count":{"input_tokens":100,"output_tokens":7}}}`:                                   {In: 100, Out: 7},
		`"usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0},"_meta":{"quota":{"token_count":null}}`:          {},
		`"usage":null,"_meta":[1]`: {},
		`"usage":"much"`:           {},
	} {
		c, _ := talkACP(agent.Session{}, speaks, opens, `{"id":3,"result":{"stopReason":"end_turn",`+result+`}}`)
		if c.state.tokens != want || !c.over {
			t.Errorf("%s: %+v", result, c.state.tokens)
		}
	}
}

// The model is chosen in whichever of two ways an agent supports, before the prompt.
func TestModelIsChosen(t *testing.T) {
	const (
		byOption = `{"id":2,"result":{"sessionId":"s","configOptions":[{"id":"mode","category":"mode","currentValue":"x","options":[]},
			{"id":"m","category":"model","currentValue":"small","options":[{"group":"g","options":[{"value":"small"},{"value":"large"}]}]},
			{"id":"e","category":"thought_level","currentValue":"low","options":[{"value":"low"},{"value":"high"}]}]}}`
		byModel = `{"id":2,"result":{"sessionId":"s","models":{"currentModelId":"small","availableModels":[{"modelId":"small"},{"modelId":"large"}]}}}`
		done    = `{"id":3,"result":{}}`
	)
	for _, c := range []struct {
		opened        string
		model, effort string
		sent          string // after the session was opened
		wrong         string
	}{
		{byOption, "", "", `"session/prompt"`, ""},
		{byOption, "small", "", `"session/prompt"`, ""},
		{byOption, "large", "", `"session/set_config_option","params":{"configId":"m","sessionId":"s","value":"large"}`, ""},
		{byOption, "", "high", `"session/set_config_option","params":{"configId":"e","sessionId":"s","value":"high"}`, ""},
		{byOption, "", "huge", `"session/prompt"`, ""},
		{byOption, "huge", "", "", "it has no model huge, but small, large"},
		{byModel, "large", "high", `"session/set_model","params":{"modelId":"large","sessionId":"s"}`, ""},
		{byModel, "huge", "", "", "it has no model huge, but small, large"},
		{opens, "large", "", "", "it offers no choice of models: name model large"},
		{opens, "", "high", `"session/prompt"`, ""},
		{`{"id":2,"result":{}}`, "", "", "", "it opened a session without a name"},
	} {
		client, sent := talkACP(agent.Session{Model: c.model, Effort: c.effort}, speaks, strings.ReplaceAll(c.opened, "\n", ""), done)
		e := client.ended
		if !strings.Contains(e.reason, c.wrong) || (c.wrong != "") != (e.status == agent.Unusable) {
			t.Errorf("%s %s: wrong is %q", c.model, c.effort, e.reason)
		}
		if c.sent == "" && len(sent) > 2 || c.sent != "" && (len(sent) < 3 || !strings.Contains(sent[2], c.sent)) {
			t.Errorf("%s %s: it sent %q", c.model, c.effort, sent)
		}
		if c.wrong == "" && !strings.Contains(sent[len(sent)-1], `"session/prompt"`) {
			t.Errorf("%s %s: the prompt was not sent: %q", c.model, c.effort, sent)
		}
	}
}

// FuzzACP: no line makes it panic, and none makes it send more than one answer.
func FuzzACP(f *testing.F) {
	for _, l := range []string{speaks, opens, updates(`{"sessionUpdate":"tool_call","toolCallId":"t"}`), `{"id":3,"result":null}`, `[`, `{"id":{},"method":"x"}`} {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, l string) {
		for _, before := range [][]string{nil, {speaks}, {speaks, opens}} {
			n := 0
			c := &acpStream{state: listening(gemini, agent.Session{Dir: "/tree"}), send: func([]byte) { n++ }}
			c.initialize("")
			for _, b := range before {
				c.line([]byte(b))
			}
			was := n
			if c.line([]byte(l)); n > was+1 {
				t.Errorf("%q made it say %d lines", l, n-was)
			}
		}
	})
}
