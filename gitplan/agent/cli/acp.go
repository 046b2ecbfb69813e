package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/acp"
	"github.com/git-plan/git-plan/gitplan/agent/answer"
)

// NewACP fills in what is empty of an agent whose program speaks the Agent Client Protocol if it is
// started with c.Args.
func NewACP(c Agent) *Agent {
	c.dialect = speak(c.Program)
	return c.ready()
}

// speaker is a listener that speaks, too: what it says goes to the program in place of the prompt.
type speaker interface {
	listener
	// begin begins the conversation of a session with a prompt, and returns what the program reads.
	begin(s agent.Session, prompt string) (*os.File, error)
	// cancel asks the program to end the session, and reports whether there is one.
	cancel() bool
	// close ends what begin began.
	close()
}

// acpStream holds a session by the Agent Client Protocol.
type acpStream struct {
	client *acp.Client
	out    *outbox
	nonce  string
	calls  modelCalls
	turns  int64
	last   strings.Builder
	after  bool // the last message was not followed by a call
	deaf   bool // the program does not read
	// lastOnly is set if the program reports the usage of its last model call only.
	lastOnly bool
	total    bool // the usage that it reports is that of the session, not of the turn
	kinds    bool // its errors have kinds
}

func (a *acpStream) begin(s agent.Session, prompt string) (*os.File, error) {
	var read *os.File
	var err error
	if a.out, read, err = newOutbox(); err != nil {
		return nil, err
	}
	a.nonce = s.Nonce
	a.client = acp.New(acp.Options{Dir: s.Dir, Prompt: prompt, Model: s.Model, Effort: s.Effort, Writes: s.Role.Writes(),
		Answered: a.answered, Total: a.total, Kinds: a.kinds}, a.out.send)
	a.client.Begin()
	return read, nil
}

// answered reports whether the last message is what a session ends with.
func (a *acpStream) answered() bool {
	return answer.Ends(a.said(), a.nonce)
}

// said is the last message, unless a call followed it.
func (a *acpStream) said() string {
	if !a.after {
		return ""
	}
	return a.last.String()
}

func (a *acpStream) cancel() bool { return a.client.Cancel() }

func (a *acpStream) close() { a.out.close() }

// line reads a line. A program that does not read has ended its session with that, once: it is not
// given more time by what it goes on to say.
func (a *acpStream) line(b []byte) (out []heard) {
	if a.deaf {
		return nil
	}
	for _, e := range a.client.Hear(b) {
		out = append(out, a.heard(e)...)
	}
	for _, e := range out {
		if e.kind == hTurn {
			a.turns++
		}
	}
	if a.deaf = a.out.full(); a.deaf {
		return []heard{{kind: hEnd}}
	}
	return out
}

func (a *acpStream) heard(e acp.Event) []heard {
	switch e.Kind {
	case acp.Said:
		if !a.after {
			a.last.Reset()
			a.after = true
		}
		if a.last.Len() < maxLast {
			a.last.WriteString(e.Text)
		}
		return a.calls.with(heard{kind: hText, text: e.Text})
	case acp.Thought:
		return a.calls.with(heard{kind: hText})
	case acp.Called:
		a.after = false
		return a.calls.with(heard{kind: hCall, id: e.ID, tool: e.Tool, text: e.Text})
	case acp.Answered:
		a.calls.answered()
		return []heard{{kind: hAnswer, id: e.ID, text: e.Text}}
	case acp.Resumed:
		a.after = false
		a.calls.answered()
	case acp.Ended:
		a.out.end() // which the program ends by
		return []heard{{kind: hEnd}}
	}
	return []heard{{kind: hText}} // a sign of life
}

func (a *acpStream) end(x exited) ending {
	c := a.client.Ended()
	e := ending{tokens: c.Tokens, cost: c.Cost, model: c.Model}
	switch {
	case !c.Known:
		e.tokens.Unreported = a.turns
	case a.lastOnly:
		e.tokens.Unreported = max(0, a.turns-1)
	}
	if c.Refused != "" {
		e.note = "a tool was refused, which this role may not use: " + agent.OneLine(c.Refused, 80)
	}
	switch {
	case a.deaf:
		return e.as(agent.Failed, "it does not read what is sent to it")
	case c.Wrong != "":
		return e.as(agent.Unusable, c.Wrong)
	case c.Fault != nil:
		return e.acpFault(c)
	case !c.Begun:
		return e.as(agent.Unusable, fmt.Sprintf("it ended (exit code %d) without a word of the Agent Client Protocol%s", x.code, agent.LastLine(x.stderr)))
	case !c.Over:
		return e.unsaid(x, true)
	}
	if c.Failed != nil {
		return e.turnFailed(*c.Failed, c.Called, a.last.Len() > 0)
	}
	e.last = a.said()
	return e.stopped(c, a.nonce)
}

// stopped returns the ending by the reason for which the agent ended its turn. That a turn has
// ended does not say that it worked: some agents end it in this way when the provider refused them
// (measured), and then there is no answer, no call and no usage.
func (e ending) stopped(c acp.End, nonce string) ending {
	switch c.Stop {
	case "end_turn":
		if !answer.Ends(e.last, nonce) && !c.Called && !c.Known {
			return e.as(agent.Unreachable, "it ended its turn without an answer, a call of a tool or any usage"+agent.LastLine(e.last))
		}
		return e
	case "refusal":
		return e.as(agent.Blocked, "the model refuses to go on with this conversation")
	case "max_tokens":
		return e.as(agent.Failed, "its answer was cut off at the model's output limit")
	case "max_turn_requests":
		return e.as(agent.Failed, "all its turns are used and the session did not finish")
	case "cancelled":
		return e.as(agent.Failed, "it was cancelled, and not by git plan")
	}
	return e.as(agent.Failed, "it ended its turn for a reason that is not known: "+agent.OneLine(c.Stop, 80))
}

// turnFailed returns the ending of a turn of which the agent says why it failed.
func (e ending) turnFailed(f acp.Failure, called, said bool) ending {
	e = e.as(agent.Failed, "its turn failed ("+agent.OneLine(f.Category, 80)+"): "+f.Title)
	switch f.Category {
	case "access":
		e.status = agent.Unauthorised
	case "connection":
		e.status = agent.Unreachable
	case "service": // an overload and a model that is not there, but a refusal and a cut answer, too (measured)
		if !called {
			e.status = agent.Unreachable
		}
	case "request": // a model that is not there, or what the provider does not take
		if !called && !said {
			e.status = agent.Unusable
		}
	case "limit": // of requests, of what was paid for, or of the model's context
		switch {
		case slices.Contains(f.Actions, "retry"):
			e.status = agent.Limited
		case len(f.Actions) == 0:
			e.status, e.noQuota = agent.Unauthorised, true
		}
	}
	return e
}

// adapterWords are what Claude's adapter calls errors that Claude itself has other words or an HTTP status for.
var adapterWords = map[string]agent.Status{
	"overloaded": agent.Limited, "transport_lost": agent.Unreachable, "worker_shutdown": agent.Unreachable,
	"oauth_org_not_allowed": agent.Unauthorised, "account_on_hold": agent.Unauthorised,
	"verification_required": agent.Unauthorised, "cloud_credential_error": agent.Unauthorised,
}

// acpFault returns the ending by an error: by its code and kind, never by its words.
func (e ending) acpFault(c acp.End) ending {
	f := *c.Fault
	e = e.as(agent.Unreachable, fmt.Sprintf("%s failed with code %d: %s", c.Stage, f.Code, f.Message))
	switch {
	case f.NoAuth():
		e.status = agent.Unauthorised
	case f.Status() != 0:
		e.status = byHTTP(f.Status())
	case f.Kind() != "" && f.Kind() != "unknown":
		e.status, e.noQuota = cmp.Or(claudeWords[f.Kind()], adapterWords[f.Kind()], agent.Failed), f.Kind() == "billing_error"
	case f.Unknown():
		e.status = agent.Unusable
	}
	return e
}

// acpStay is how long a program may stay after its session has ended and its input is closed.
const acpStay = 5 * time.Second
