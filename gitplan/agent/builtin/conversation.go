package builtin

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/tools"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
)

// conversation is one session of the built-in agent under way.
type conversation struct {
	agent         *Agent
	s             agent.Session
	model, effort string
	work          *tools.Workspace
	tools         []tools.Tool
	log           agent.Transcript
	life          *agent.Life

	messages []wire.Message
	tokens   agent.Tokens
	cost     agent.Cost
	context  size // how full the model's context is
	repeats  repeats
	progress progress

	silent    int    // turns in a row without a call
	written   int    // of them, with a call written as text
	malformed int    // calls in a row that could not be read
	refused   int    // results that Session.Accept refused
	forced    string // the tool that the last turn must call; "" before it
	last      error  // what Session.Accept said to the end of the last turn

	telling sync.Mutex
}

// Limits of a conversation.
const (
	defaultTurns = 150 // if the session names none: every session must end
	maxSilent    = 2   // nudges for text without a call
	maxMalformed = 3
	maxRefused   = 3
)

func (o *Agent) converse(s agent.Session) (*conversation, error) {
	c := &conversation{agent: o, s: s, model: s.Model, effort: s.Effort}
	c.model = cmp.Or(c.model, o.Model)
	c.effort = cmp.Or(c.effort, o.Effort)
	c.s.MaxTurns = cmp.Or(c.s.MaxTurns, defaultTurns)
	if c.model == "" {
		return nil, fmt.Errorf("agent %s: no model is configured", o.AgentName)
	}
	var err error
	if c.work, err = tools.Open(s, o.Key); err != nil {
		return nil, err
	}
	c.tools = tools.For(s.Role, c.model)
	if s.Ask != nil {
		c.tools = append(c.tools, tools.AskPerson(s.Ask))
	}
	c.log = agent.Transcript{W: s.Transcript, Key: o.Key}
	c.context = size{window: o.WindowOf(c.model)}
	return c, nil
}

func (c *conversation) counted(r agent.Result) agent.Result {
	r.Tokens, r.Cost, r.Agent = c.tokens, c.cost, c.agent.AgentName+"/"+c.model
	return r
}

// makeRoom drops what is old until there is room again: outputs before turns, and what the
// session is about last of the outputs.
func (c *conversation) makeRoom() {
	for _, smaller := range []func(int) bool{
		func(keep int) bool { return c.shorten(keep, c.pinned) },
		func(keep int) bool { return c.shorten(keep, func(wire.Call) bool { return false }) },
		c.compact,
	} {
		for _, keep := range []int{keepTurns, keepFew} {
			if !c.context.nearlyFull(c.messages) {
				return
			}
			smaller(keep)
		}
	}
}

func (c *conversation) shorten(keep int, pinned func(wire.Call) bool) bool {
	if !shorten(c.messages, keep, c.context.excess(c.messages), pinned) {
		return false
	}
	c.context.forget()
	return true
}

// pinned reports whether a call read a file that the step names, or that the session edited.
func (c *conversation) pinned(k wire.Call) bool {
	t, err := tools.Named(c.tools, k.Name)
	return err == nil && c.work.Concerns(t, k.Args)
}

func (c *conversation) compact(keep int) bool {
	messages, ok := compact(c.messages, keep)
	if !ok {
		return false
	}
	c.messages = messages
	c.log.Write(agent.Record{User: messages[prompts].Text})
	c.context.forget()
	return true
}

func (c *conversation) count(u wire.Usage) {
	c.tokens = c.tokens.Add(u.Tokens)
	c.cost = c.cost.Add(u.Cost(c.agent.Price))
	c.context.measured(u.Tokens, c.messages)
}

// report passes an event on, safe for a terminal, and one at a time.
func (c *conversation) report(e agent.Event) {
	if c.s.On == nil {
		return
	}
	c.telling.Lock()
	defer c.telling.Unlock()
	e.Text = agent.OneLine(c.agent.Mask(e.Text), agent.MaxEvent)
	c.s.On(e)
}

// recordOf returns a turn of the model as the transcript keeps it.
func recordOf(n int, t wire.Turn) agent.Record {
	r := agent.Record{Turn: n, Text: t.Text, Thoughts: t.Thought(), Tokens: &t.Usage.Tokens}
	for _, c := range t.Calls {
		r.Calls = append(r.Calls, agent.CallRecord{ID: c.ID, Name: c.Name, Args: c.Args})
	}
	return r
}
