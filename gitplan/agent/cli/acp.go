package cli

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

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
	client *acpClient
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
}

func (a *acpStream) begin(s agent.Session, prompt string) (*os.File, error) {
	var read *os.File
	var err error
	if a.out, read, err = newOutbox(); err != nil {
		return nil, err
	}
	a.nonce = s.Nonce
	a.client = newACPClient(acpOptions{Dir: s.Dir, Prompt: prompt, Model: s.Model, Effort: s.Effort, Writes: s.Role.Writes(),
		Answered: a.answered, Total: a.total}, a.out.send)
	a.client.Begin()
	return read, nil
}

// answered reports whether the last message is what a session ends with.
func (a *acpStream) answered() bool {
	return ends(a.said(), a.nonce)
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

func (a *acpStream) heard(e acpEvent) []heard {
	switch e.Kind {
	case acpSaid:
		if !a.after {
			a.last.Reset()
			a.after = true
		}
		if a.last.Len() < maxLast {
			a.last.WriteString(e.Text)
		}
		return a.calls.with(heard{kind: hText, text: e.Text})
	case acpThought:
		return a.calls.with(heard{kind: hText})
	case acpCalled:
		a.after = false
		return a.calls.with(heard{kind: hCall, id: e.ID, tool: e.Tool, text: e.Text})
	case acpAnswered:
		a.calls.answered()
		return []heard{{kind: hAnswer, id: e.ID, text: e.Text}}
	case acpResumed:
		a.after = false
		a.calls.answered()
	case acpEnded:
		a.out.end() // which the program ends by
		return []heard{{kind: hEnd}}
	}
	return []heard{{kind: hText}} // a sign of life
}

func (a *acpStream) end(x exited) ending {
	c := a.client.Ended()
	e := ending{tokens: c.used.tokens, cost: c.used.cost, model: c.Model}
	switch {
	case !c.used.known:
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
		return e.fault(c)
	case !c.Begun:
		return e.as(agent.Unusable, fmt.Sprintf("it ended (exit code %d) without a word of the Agent Client Protocol%s", x.code, agent.LastLine(x.stderr)))
	case !c.Over:
		return e.unsaid(x, true)
	}
	e.last = a.said()
	return e.stopped(c, a.nonce)
}

// stopped returns the ending by the reason for which the agent ended its turn. That a turn has
// ended does not say that it worked: some agents end it in this way when the provider refused them
// (measured), and then there is no answer, no call and no usage.
func (e ending) stopped(c acpEnd, nonce string) ending {
	switch c.Stop {
	case "end_turn":
		if !ends(e.last, nonce) && !c.Called && !c.used.known {
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

// fault returns the ending by an error: by its code, never by its words.
func (e ending) fault(c acpEnd) ending {
	f := *c.Fault
	e = e.as(agent.Unreachable, fmt.Sprintf("%s failed with code %d: %s", c.Stage, f.Code, f.Message))
	switch {
	case f.NoAuth():
		e.status = agent.Unauthorised
	case f.Status() != 0:
		e.status = byHTTP(f.Status())
	case f.Unknown():
		e.status = agent.Unusable
	}
	return e
}

// acpStay is how long a program may stay after its session has ended and its input is closed.
const acpStay = 5 * time.Second

// outbox is what a program is to read. A program that does not read is not waited for.
type outbox struct {
	lines chan []byte
	read  *os.File
	write *os.File

	mu     sync.Mutex
	closed bool
	over   bool
}

// maxUnread is how many lines a program may leave unread; none but the first is long.
const maxUnread = 1000

func newOutbox() (*outbox, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	o := &outbox{lines: make(chan []byte, maxUnread), read: r, write: w}
	go func() {
		for b := range o.lines {
			if _, err := w.Write(b); err != nil {
				break
			}
		}
		_ = w.Close()
	}()
	return o, r, nil
}

func (o *outbox) send(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.over {
		return
	}
	select {
	case o.lines <- b:
	default:
		o.over = true
	}
}

func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.over
}

// end closes it once all lines are written.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.lines)
	}
}

// close drops what was not read.
func (o *outbox) close() {
	o.end()
	_ = o.read.Close()
	_ = o.write.Close()
}
