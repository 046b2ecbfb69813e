package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/tools"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
)

// Run implements [agent.Agent].
func (o *Agent) Run(ctx context.Context, s agent.Session) agent.Result {
	defer o.Close()
	c, err := o.converse(s)
	if err != nil {
		return agent.Result{Status: agent.Failed, Reason: agent.OneLine(err.Error(), agent.MaxReason), Agent: o.AgentName}
	}
	defer c.work.Close()
	return c.run(ctx)
}

// run holds the conversation to its end and fills in the rest of the result.
func (c *conversation) run(ctx context.Context) agent.Result {
	ctx, l, stop := agent.NewLife(ctx, c.s)
	defer stop()
	c.life, c.work.Life = l, l
	r := c.turns(ctx)
	if r.Status != agent.Done && ctx.Err() != nil {
		r = agent.Ended(ctx, c.s)
	}
	r = c.counted(r)
	r.Reason = agent.OneLine(c.agent.Mask(r.Reason), agent.MaxReason)
	c.log.Write(agent.Record{End: r.Status, Reason: r.Reason, Tokens: &r.Tokens})
	return r
}

func (c *conversation) turns(ctx context.Context) agent.Result {
	p := prompted(c.s)
	c.log.Write(agent.Record{Session: c.s.ID, Role: c.s.Role, Agent: c.agent.AgentName + "/" + c.model, System: p.System, User: p.User})
	c.messages = []wire.Message{{Role: "system", Text: p.System}, {Role: "user", Text: p.User, Shared: p.Shared}}
	for n := 1; n <= c.s.MaxTurns; n++ {
		if ctx.Err() != nil {
			return agent.Ended(ctx, c.s)
		}
		if c.s.Spend != nil {
			if err := c.s.Spend(c.tokens, c.cost); err != nil {
				return agent.Result{Status: agent.Stopped, Reason: err.Error()}
			}
		}
		if n == c.s.MaxTurns && n > 1 {
			c.forced = tools.Ends(c.s.Role) // with one turn left
		}
		t, err := c.fittingTurn(ctx)
		if err != nil {
			var f *wire.Fault
			if errors.As(err, &f) {
				r := f.Result()
				if f.TooLong() && n == 1 { // the next session would be sent the same
					r.Status = agent.Unusable
				}
				r.Next = c.agent.Remedy(ctx, f, c.model)
				return r
			}
			return agent.Fail("%v", err)
		}
		truncated := c.context.truncated(t.Usage.Tokens, c.messages)
		c.count(t.Usage)
		c.log.Write(recordOf(n, t))
		if truncated {
			return agent.Result{Status: agent.Unusable, Reason: fmt.Sprintf("the server cuts off what it is sent: it counted %d tokens in %d bytes; raise its context size (Ollama: start it with OLLAMA_CONTEXT_LENGTH=64000)",
				t.Usage.Tokens.In, bytesOf(c.messages))}
		}
		if r := c.reply(ctx, n, t); r != nil {
			return *r
		}
	}
	return c.outOfTurns()
}

// fittingTurn keeps the conversation within the model's context: it makes it smaller before
// the context is full, and when the provider says that it is. There are three ways, each of
// which drops more and is tried once: then the conversation fits, or the session ends.
func (c *conversation) fittingTurn(ctx context.Context) (wire.Turn, error) {
	if c.context.nearlyFull(c.messages) {
		c.context.window = c.agent.AskWindow(ctx, c.model)
	}
	c.makeRoom()
	t, err := c.turn(ctx)
	for _, smaller := range []func() bool{
		func() bool { return c.shorten(1, c.pinned) },
		func() bool { return c.compact(1) },
		func() bool { return clip(c.messages) },
	} {
		var f *wire.Fault
		if !errors.As(err, &f) || !f.TooLong() {
			break
		}
		if smaller() {
			c.context.forget()
			t, err = c.turn(ctx)
		}
	}
	return t, err
}

// reply answers a turn of the model, or ends the session.
func (c *conversation) reply(ctx context.Context, n int, t wire.Turn) *agent.Result {
	if t.Refusal != "" && len(t.Calls) == 0 {
		return &agent.Result{Status: agent.Blocked, Reason: "the model refused", Question: "The model refused: " + agent.OneLine(t.Refusal, agent.MaxReason)}
	}
	c.messages = append(c.messages, t.Message)
	if len(t.Calls) == 0 {
		return c.nudge(t)
	}
	c.silent = 0
	answers, end := c.answer(ctx, t)
	var log []agent.AnswerRecord
	for i, a := range answers {
		if i == len(answers)-1 {
			a += c.notice(n)
		}
		c.messages = append(c.messages, wire.Message{Role: "tool", CallID: t.Calls[i].ID, Text: a})
		log = append(log, agent.AnswerRecord{ID: t.Calls[i].ID, Text: a})
	}
	c.log.Write(agent.Record{Turn: n, Answers: log})
	return end
}

// nudge answers text without a call, which is never an answer: nothing is read
// from a model's prose.
func (c *conversation) nudge(t wire.Turn) *agent.Result {
	if writtenCall(t.Text) {
		if c.written++; c.written > 1 {
			r := agent.Fail("the model writes its tool calls as text: its server does not read them; start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and a --tool-call-parser")
			return &r
		}
	}
	if c.silent++; c.silent > maxSilent {
		r := agent.NoAnswer("text without a tool call, %d times", c.silent)
		if t.Cut {
			r = agent.NoAnswer("each was cut at the model's token limit, %d times", c.silent)
		}
		return &r
	}
	text := "Text alone does nothing here. Go on by calling a tool; when you are at the end, call " + c.endNames() + "."
	if t.Cut {
		text = "Your answer was cut off at its length limit. Go on in smaller pieces. " + text
	}
	c.messages = append(c.messages, wire.Message{Role: "user", Text: text})
	c.log.Write(agent.Record{User: text})
	return nil
}

// writtenCall recognises a tool call that is in the text because the server did not parse it.
// It is never run; the person learns which option the server needs.
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
		if t.End != nil {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, " or ")
}

// notice tells the model how many turns are left, when these are few.
func (c *conversation) notice(n int) string {
	left := c.s.MaxTurns - n
	if left != c.s.MaxTurns/4 && left != c.s.MaxTurns/10 && left != 1 || left == 0 {
		return ""
	}
	return fmt.Sprintf("\n\n[%d of %d turns are left. Come to an end with %s, or say there what keeps you from it.]", left, c.s.MaxTurns, c.endNames())
}
