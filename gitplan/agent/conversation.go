package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// conversation is one session of the built-in agent under way.
type conversation struct {
	agent         *OpenAI
	s             Session
	model, effort string
	work          *workspace
	tools         []tool
	log           transcript
	life          *life

	messages []message
	tokens   Tokens
	cost     Cost
	context  size // how full the model's context is
	repeats  repeats
	progress progress

	silent    int // turns in a row without a call
	written   int // of them, with a call written as text
	malformed int // calls in a row that could not be read
	refused   int // results that Session.Accept refused

	telling sync.Mutex
}

// Limits of a conversation.
const (
	defaultTurns = 150 // where the session names none: no session is without an end
	maxSilent    = 2   // nudges for text without a call
	maxMalformed = 3
	maxRefused   = 3
)

func (o *OpenAI) converse(s Session) (*conversation, error) {
	c := &conversation{agent: o, s: s, model: s.Model, effort: s.Effort}
	c.model = cmp.Or(c.model, o.Model)
	c.effort = cmp.Or(c.effort, o.Effort)
	c.s.MaxTurns = cmp.Or(c.s.MaxTurns, defaultTurns)
	if c.model == "" {
		return nil, fmt.Errorf("agent %s: no model is configured", o.AgentName)
	}
	var err error
	if c.work, err = openWorkspace(s, o.Key); err != nil {
		return nil, err
	}
	c.tools = toolsFor(s.Role)
	if s.Ask != nil {
		c.tools = append(c.tools, askPerson(s.Ask))
	}
	c.log = transcript{w: s.Transcript, key: o.Key}
	c.context = size{window: o.WindowOf(c.model)}
	return c, nil
}

// run holds the conversation to its end and completes the result.
func (c *conversation) run(ctx context.Context) Result {
	ctx, l, stop := begin(ctx, c.s)
	defer stop()
	c.life, c.work.life = l, l
	r := c.turns(ctx)
	if r.Status != Done && ctx.Err() != nil {
		r = ended(ctx, c.s)
	}
	r = c.counted(r)
	r.Reason = oneLine(c.agent.redact(r.Reason), maxReason)
	c.log.write(record{End: r.Status, Reason: r.Reason, Tokens: &r.Tokens})
	return r
}

func (c *conversation) counted(r Result) Result {
	r.Tokens, r.Cost, r.Agent = c.tokens, c.cost, c.agent.AgentName+"/"+c.model
	return r
}

func (c *conversation) turns(ctx context.Context) Result {
	p := c.s.Prompt
	c.log.write(record{Session: c.s.ID, Role: c.s.Role, Agent: c.agent.AgentName + "/" + c.model, System: p.System, User: p.User})
	c.messages = []message{{role: "system", text: p.System}, {role: "user", text: p.User}}
	for n := 1; n <= c.s.MaxTurns; n++ {
		if ctx.Err() != nil {
			return ended(ctx, c.s)
		}
		if c.s.Spend != nil {
			if err := c.s.Spend(c.tokens, c.cost); err != nil {
				return Result{Status: Stopped, Reason: err.Error()}
			}
		}
		t, err := c.fittingTurn(ctx)
		if err != nil {
			var f *fault
			if errors.As(err, &f) {
				return f.result()
			}
			return failed("%v", err)
		}
		truncated := c.context.truncated(t.usage.tokens, c.messages)
		c.count(t.usage)
		c.log.write(recordOf(n, t))
		if truncated {
			return Result{Status: Unusable, Reason: fmt.Sprintf("the server cuts off what it is sent: it counted %d tokens in %d bytes; raise its context size (Ollama: start it with OLLAMA_CONTEXT_LENGTH=64000)",
				t.usage.tokens.In, bytesOf(c.messages))}
		}
		if r := c.reply(ctx, n, t); r != nil {
			return *r
		}
	}
	return failed("all %d turns are used and the session did not finish", c.s.MaxTurns)
}

// fittingTurn keeps the conversation within the model's context: before it is
// full, and when the provider says that it is. Then it is made smaller in three
// ways, each once and each by more, so that it fits or the session ends.
func (c *conversation) fittingTurn(ctx context.Context) (turn, error) {
	if c.context.nearlyFull(c.messages) {
		c.context.window = c.agent.AskWindow(ctx, c.model)
	}
	c.makeRoom()
	t, err := c.turn(ctx)
	for _, smaller := range []func() bool{
		func() bool { return c.shorten(1) },
		func() bool { return c.compact(1) },
		func() bool { return clip(c.messages) },
	} {
		var f *fault
		if !errors.As(err, &f) || !f.tooLong() {
			break
		}
		if smaller() {
			c.context.forget()
			t, err = c.turn(ctx)
		}
	}
	return t, err
}

// makeRoom drops what is old until there is room again: outputs before turns.
func (c *conversation) makeRoom() {
	for _, smaller := range []func(int) bool{c.shorten, c.compact} {
		for _, keep := range []int{keepTurns, keepFew} {
			if !c.context.nearlyFull(c.messages) {
				return
			}
			smaller(keep)
		}
	}
}

func (c *conversation) shorten(keep int) bool {
	if !shorten(c.messages, keep) {
		return false
	}
	c.context.forget()
	return true
}

func (c *conversation) compact(keep int) bool {
	messages, ok := compact(c.messages, keep)
	if !ok {
		return false
	}
	c.messages = messages
	c.log.write(record{User: messages[prompts].text})
	c.context.forget()
	return true
}

func (c *conversation) count(u usage) {
	c.tokens = c.tokens.Add(u.tokens)
	c.cost = c.cost.Add(u.cost(c.agent.Price))
	c.context.measured(u.tokens, c.messages)
}

// reply answers a turn of the model, or ends the session.
func (c *conversation) reply(ctx context.Context, n int, t turn) *Result {
	if t.refusal != "" && len(t.calls) == 0 {
		return &Result{Status: Blocked, Reason: "the model refused", Question: "The model refused: " + oneLine(t.refusal, maxReason)}
	}
	c.messages = append(c.messages, t.message)
	if len(t.calls) == 0 {
		return c.nudge(t)
	}
	c.silent = 0
	answers, end := c.answer(ctx, t)
	var log []answerRecord
	for i, a := range answers {
		if i == len(answers)-1 {
			a += c.notice(n)
		}
		c.messages = append(c.messages, message{role: "tool", callID: t.calls[i].id, text: a})
		log = append(log, answerRecord{t.calls[i].id, a})
	}
	c.log.write(record{Turn: n, Answers: log})
	return end
}

// nudge answers text without a call, which is never an answer: nothing is read
// from a model's prose.
func (c *conversation) nudge(t turn) *Result {
	if writtenCall(t.text) {
		if c.written++; c.written > 1 {
			r := failed("the model writes its tool calls as text: its server does not read them; start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and a --tool-call-parser")
			return &r
		}
	}
	if c.silent++; c.silent > maxSilent {
		r := failed("gave no answer: text without a tool call, %d times", c.silent)
		return &r
	}
	text := "Text alone does nothing here. Go on by calling a tool; when you are at the end, call " + c.endNames() + "."
	if t.cut {
		text = "Your answer was cut off at its length limit. Go on in smaller pieces. " + text
	}
	c.messages = append(c.messages, message{role: "user", text: text})
	c.log.write(record{User: text})
	return nil
}

// writtenCall recognises a tool call that stands in the text because the server
// did not take it out. It is never run; the person is told what to start the
// server with.
func writtenCall(s string) bool {
	if s = strings.TrimSpace(s); strings.Contains(s, "<tool_call>") {
		return true
	}
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(s, "```json"), "```"), "```")
	var call struct {
		Name                  string
		Arguments, Parameters map[string]json.RawMessage
	}
	return json.Unmarshal([]byte(s), &call) == nil && call.Name != "" && (call.Arguments != nil || call.Parameters != nil)
}

func (c *conversation) endNames() string {
	var names []string
	for _, t := range c.tools {
		if t.end != nil {
			names = append(names, t.name)
		}
	}
	return strings.Join(names, " or ")
}

// notice tells the model near its last turns how many are left.
func (c *conversation) notice(n int) string {
	left := c.s.MaxTurns - n
	if left != c.s.MaxTurns/4 && left != c.s.MaxTurns/10 && left != 1 || left == 0 {
		return ""
	}
	return fmt.Sprintf("\n\n[%d of %d turns are left. Come to an end with %s, or say there what keeps you from it.]", left, c.s.MaxTurns, c.endNames())
}

// tell passes an event on, clean for a terminal and one at a time.
func (c *conversation) tell(e Event) {
	if c.s.On == nil {
		return
	}
	c.telling.Lock()
	defer c.telling.Unlock()
	e.Text = oneLine(c.agent.redact(e.Text), eventText)
	c.s.On(e)
}

// recordOf returns a turn of the model as the transcript keeps it.
func recordOf(n int, t turn) record {
	r := record{Turn: n, Text: t.text, Thoughts: t.thought(), Tokens: &t.usage.tokens}
	for _, c := range t.calls {
		r.Calls = append(r.Calls, callRecord{c.id, c.name, c.args})
	}
	return r
}
