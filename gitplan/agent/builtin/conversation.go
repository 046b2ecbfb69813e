package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// conversation is a session of the built-in agent.
type conversation struct {
	agent   *Agent
	session agent.Session // the session, with the agent's defaults
	work    *workspace
	tools   []tool
	log     agent.Transcript

	messages    []model.Message
	tokens      agent.Tokens
	cost        agent.Cost
	context     size     // the fill of the model's context
	recentCalls []repeat // the last calls

	silent    int    // the number of turns in a row without a call
	written   int    // the number of silent turns with a call written as text
	said      string // the last text of the model
	malformed int    // the number of invalid calls in a row
	refused   int    // the number of results that Session.Accept refused
	unchanged error  // the answer of Session.Accept for the current tree; nil after a change
}

// Limits of a conversation.
const (
	defaultTurns = 150 // the limit of turns for a session that names none
	maxSilent    = 2   // the number of reminders after text without a call
	maxMalformed = 8
	maxRefused   = 3

	repeatWindow = 16 // the minimum number of remembered calls; finds cycles of up to three calls
	warnRepeats  = 3
	maxRepeats   = 5

	commandTime    = 120 // the default limit of a command, in seconds
	commandTimeMax = 1800
)

// converse begins the conversation of a session.
func (a *Agent) converse(s agent.Session, life *agent.Life) (*conversation, error) {
	if a.recorded != nil {
		s.Model, s.Effort = "", "" // a recording has no choice of models
	}
	s.Model = cmp.Or(s.Model, a.Model)
	s.Effort = cmp.Or(s.Effort, a.Effort)
	s.MaxTurns = cmp.Or(s.MaxTurns, defaultTurns)
	w, err := openWorkspace(s, a.Endpoint.Key, life)
	if err != nil {
		return nil, err
	}
	return &conversation{agent: a, session: s, work: w, tools: toolsOf(s),
		context: size{window: a.Endpoint.WindowOf(s.Model)}, log: agent.Transcript{W: s.Transcript, Key: a.Endpoint.Key}}, nil
}

// withUsage returns r with the usage so far.
func (c *conversation) withUsage(r agent.Result) agent.Result {
	r.Tokens, r.Cost, r.Agent = c.tokens, c.cost, c.agent.Endpoint.AgentName+"/"+c.session.Model
	return r
}

// Run implements [agent.Agent].
func (a *Agent) Run(ctx context.Context, s agent.Session) agent.Result {
	defer a.Endpoint.Close()
	ctx, life, stop := agent.NewLife(ctx, s)
	defer stop()
	c, err := a.converse(s, life)
	if err != nil {
		return agent.Result{Status: agent.Failed, Reason: agent.OneLine(err.Error(), agent.MaxReason),
			Agent: a.Endpoint.AgentName}
	}
	defer c.work.root.Close()
	r := c.turns(ctx)
	if r.Status != agent.Done && !r.Status.Transient() && ctx.Err() != nil {
		r = agent.Ended(ctx, c.session)
	}
	if r.Unsaid {
		r.Summary = c.said
	}
	return c.log.Finish(c.withUsage(r.Tidy()))
}

func (c *conversation) turns(ctx context.Context) agent.Result {
	p := withEndings(c.session)
	c.log.Write(agent.Record{Session: c.session.ID, Role: c.session.Role,
		Agent: c.agent.Endpoint.AgentName + "/" + c.session.Model, System: p.System, User: p.User})
	c.messages = []model.Message{{Role: "system", Text: p.System}, {Role: "user", Text: p.User, Shared: p.Shared}}
	for n := 1; n <= c.session.MaxTurns; n++ {
		if ctx.Err() != nil {
			return agent.Ended(ctx, c.session)
		}
		if err := c.session.Spent(c.tokens, c.cost); err != nil {
			return agent.Result{Status: agent.Stopped, Reason: err.Error()}
		}
		t, err := c.fittingTurn(ctx)
		if err != nil {
			return c.failedTurn(ctx, n, err)
		}
		truncated := c.context.truncated(t.Tokens, c.messages)
		if !t.Cost.Known {
			t.Cost = c.agent.Price.Of(t.Tokens)
		}
		c.tokens, c.cost = c.tokens.Add(t.Tokens), c.cost.Add(t.Cost)
		if t.Tokens.In > 0 { // the provider's count for the messages that were sent
			c.context.tokens, c.context.messages = int(min(t.Tokens.In, 1<<30)), len(c.messages)
		}
		r := agent.Record{Turn: n, Text: t.Text, Thoughts: t.Thoughts, Tokens: &t.Tokens}
		for _, k := range t.Calls {
			r.Calls = append(r.Calls, agent.CallRecord{ID: k.ID, Name: k.Name, Args: k.Args})
		}
		c.log.Write(r)
		if truncated {
			return agent.Result{Status: agent.Unusable, Reason: fmt.Sprintf("the server cuts off what it is sent: "+
				"it counted %d tokens in %d bytes; raise its context size (Ollama: start it with OLLAMA_CONTEXT_LENGTH=64000)",
				t.Tokens.In, bytesOf(c.messages))}
		}
		if r := c.reply(ctx, n, t); r != nil {
			return *r
		}
	}
	if c.unchanged != nil {
		r := agent.Fail("all %d turns are used, and its result was refused: %s", c.session.MaxTurns,
			visible.FirstLine(c.unchanged.Error()))
		r.Unaccepted = true
		return r
	}
	return *unsaid("all %d turns are used and the session did not finish", c.session.MaxTurns)
}

// failedTurn returns the result of a session whose nth model call failed.
func (c *conversation) failedTurn(ctx context.Context, n int, err error) agent.Result {
	var f *model.Fault
	if !errors.As(err, &f) {
		return agent.Fail("%v", err)
	}
	r := f.Result()
	switch {
	case r.Refused:
		r.Reason = model.Host(c.agent.Endpoint.BaseURL) + ": " + r.Reason
	case n == 1 && r.Status == agent.Failed: // the next session would be sent the same
		r.Status = agent.Unusable
	}
	r.Next = c.agent.Endpoint.Hint(ctx, f, c.session.Model)
	return r
}

// fittingTurn shortens the conversation before the context is full, and each time the provider reports it full.
func (c *conversation) fittingTurn(ctx context.Context) (model.Turn, error) {
	nearlyFull := func() bool { return c.context.filled(c.messages) > full*float64(c.context.window) }
	if nearlyFull() {
		c.context.window = c.agent.Endpoint.AskWindow(ctx, c.session.Model)
	}
	for _, keep := range []int{keepTurns, keepFew} {
		if nearlyFull() {
			share := min(roomy/full, roomy*float64(c.context.window)/max(1, c.context.filled(c.messages)))
			c.shorten(keep, int(float64(bytesOf(c.messages))*(1-share)))
		}
	}
	t, err := c.turn(ctx)
	var f *model.Fault
	for keep := keepFew; keep >= 0 && errors.As(err, &f) && f.TooLong(); keep-- {
		if c.shorten(keep, math.MaxInt) {
			t, err = c.turn(ctx)
		}
	}
	return t, err
}

// reply answers a turn of the model, or ends the session.
func (c *conversation) reply(ctx context.Context, n int, t model.Turn) *agent.Result {
	if t.Refusal != "" && len(t.Calls) == 0 {
		r := agent.Fail("%s refuses: %s", c.session.Model, t.Refusal)
		r.Refused = true
		return &r
	}
	c.said = cmp.Or(strings.TrimSpace(t.Text), c.said)
	said := t.Message
	if t.Empty() { // some servers take no empty message back
		said = model.Message{Role: "assistant", Text: "(nothing)"}
	}
	c.messages = append(c.messages, said)
	if len(t.Calls) == 0 {
		return c.withoutCall(ctx, t)
	}
	c.silent = 0
	answers, end := c.answer(ctx, t)
	left := c.session.MaxTurns - n
	var log []agent.AnswerRecord
	for i, a := range answers {
		few := left == c.session.MaxTurns/4 || left == c.session.MaxTurns/10 || left == 1
		if i == len(answers)-1 && few && left > 0 {
			a += fmt.Sprintf("\n\n[%d of %d turns are left. Come to an end with %s, or say there what keeps you from it.]",
				left, c.session.MaxTurns, endsBy(c.session.Role))
		}
		c.messages = append(c.messages, model.Message{Role: "tool", CallID: t.Calls[i].ID, Text: a})
		log = append(log, agent.AnswerRecord{ID: t.Calls[i].ID, Text: a})
	}
	c.log.Write(agent.Record{Turn: n, Answers: log})
	return end
}

// unsaid returns the result of a session that ended without saying how.
func unsaid(format string, args ...any) *agent.Result {
	r := agent.Fail(format, args...)
	r.Unsaid = true
	return &r
}

// turn asks the model for the next turn.
func (c *conversation) turn(ctx context.Context) (model.Turn, error) {
	c.work.life.Stop() // the endpoint's own limits hold meanwhile
	defer c.work.life.Beat()
	q := model.Request{Model: c.session.Model, Effort: c.session.Effort, CacheKey: c.session.Plan,
		Messages: c.messages, Idle: c.session.Idle}
	for _, t := range c.tools {
		q.Tools = append(q.Tools, model.Tool{Name: t.Name, About: t.About, Schema: schemaOf(t.Args)})
	}
	return c.agent.Endpoint.Ask(ctx, q, func(e agent.Event) {
		if e.Kind == agent.Waiting {
			c.work.life.Waits(e.Wait)
			c.log.Write(agent.Record{Waiting: e.Text})
		}
		if e.Kind != agent.Waiting || e.Wait > 0 { // a retry without a wait is not reported
			c.session.Report(e, c.log.Key)
		}
	})
}
