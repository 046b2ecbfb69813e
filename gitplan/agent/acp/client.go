package acp

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// version is that of the protocol. Its successor differs in how a session ends.
const version = 1

// Options are what a session is held with.
type Options struct {
	Dir           string // absolute
	Prompt        string
	Model, Effort string // "": the agent's own
	Writes        bool   // whether it may change files and run commands
	// Answered reports whether what was said last is the answer that the prompt asks for; nil if anything is.
	Answered func() bool
	Total    bool // the usage that it reports is that of the session so far, not of the turn
	Kinds    bool // its errors have kinds, which say more than a Failure would
}

// Client is our side of one session. Its methods may be called by several goroutines.
type Client struct {
	options Options
	send    func(line []byte)

	mu      sync.Mutex
	next    int
	waiting map[string]func(json.RawMessage, *Fault) // for an answer, by the id of the request
	stage   string
	session string
	stopped bool // the session was cancelled
	refused bool // a call of this turn was refused
	resumed int  // how often it was asked to go on after that
	kinds   map[string]string
	events  []Event // of the line that is heard
	end     End
}

// New returns a client that has said nothing yet. send must not wait for the agent.
func New(o Options, send func(line []byte)) *Client {
	return &Client{options: o, send: send, waiting: map[string]func(json.RawMessage, *Fault){}, kinds: map[string]string{}}
}

// End is how a session ended, as far as the agent says.
type End struct {
	Over    bool   // the agent has said all that it will
	Begun   bool   // it speaks the protocol
	Stage   string // the request that was answered last, or was not
	Stop    string // the stop reason; "" without one
	Fault   *Fault
	Failed  *Failure
	Wrong   string // why the session could not begin though nothing failed
	Refused string // the tool that was refused last
	Called  bool   // a tool was called
	Model   string
	Usage
}

// Begin opens the conversation.
func (c *Client) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	offered := map[string]any{"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false}
	if !c.options.Kinds {
		offered["_meta"] = saysWhy
	}
	c.ask(mInitialize, map[string]any{
		"protocolVersion":    version,
		"clientCapabilities": offered,
		"clientInfo":         map[string]string{"name": "git-plan", "title": "git plan", "version": "1"},
	}, c.initialized)
}

// Cancel asks the agent to end the session, and reports whether there is one to end.
func (c *Client) Cancel() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == "" || c.end.Over {
		return false
	}
	c.stopped = true
	c.send(line(message{Method: mCancel, Params: raw(map[string]string{"sessionId": c.session})}))
	return true
}

// Ended returns how the session ended, or how far it is.
func (c *Client) Ended() End {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.end
	e.Stage = c.stage
	return e
}

// Hear reads one line of the agent's. What is no message does not count, nor what comes after the end but for
// what the session used.
func (c *Client) Hear(b []byte) []Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	var m message
	if !readable(b, &m) {
		return nil
	}
	c.events = nil
	switch {
	case m.Method == mUpdate && m.ID == nil:
		c.update(m.Params)
	case c.end.Over:
	case m.Method != "" && m.ID != nil:
		c.asked(m)
	case m.Method == "" && m.ID != nil:
		c.answered(m)
	}
	return c.events
}

// ask sends a request; then hears of its answer.
func (c *Client) ask(method string, params any, then func(json.RawMessage, *Fault)) {
	c.next++
	c.stage = method
	id := strconv.Itoa(c.next)
	c.waiting[id] = then
	c.send(line(message{ID: json.RawMessage(id), Method: method, Params: raw(params)}))
}

func (c *Client) answered(m message) {
	then, ok := c.waiting[string(m.ID)]
	if !ok {
		return // of a request that we never made, or a second answer
	}
	delete(c.waiting, string(m.ID))
	then(m.Result, m.Error)
}

// asked answers a request. Only permissions are given: nothing else was offered.
func (c *Client) asked(m message) {
	if len(m.ID) > maxID {
		return
	}
	answer := message{ID: m.ID, Error: &Fault{Code: codeNoMethod, Message: "not offered"}}
	if m.Method == mPermission {
		answer = message{ID: m.ID, Result: c.permission(m.Params)}
	}
	c.send(line(answer))
}

func (c *Client) initialized(result json.RawMessage, fault *Fault) {
	var r struct {
		Version int `json:"protocolVersion"`
	}
	switch {
	case fault != nil:
		c.failed(fault)
	case !readable(result, &r) || r.Version != version:
		c.wrong("it speaks version " + strconv.Itoa(r.Version) + " of the Agent Client Protocol, and version " + strconv.Itoa(version) + " is needed")
	default:
		c.end.Begun = true
		c.ask(mNew, map[string]any{"cwd": c.options.Dir, "mcpServers": []any{}}, c.opened)
	}
}

func (c *Client) opened(result json.RawMessage, fault *Fault) {
	if fault != nil {
		c.failed(fault)
		return
	}
	var r struct {
		ID string `json:"sessionId"`
		offer
	}
	if !readable(result, &r) || r.ID == "" || len(r.ID) > maxID {
		c.wrong("it opened a session without a name")
		return
	}
	c.session = r.ID
	c.end.Model = r.offer.model()
	c.choose(r.offer)
}

func (c *Client) prompt(text string) {
	c.ask(mPrompt, map[string]any{"sessionId": c.session,
		"prompt": []any{map[string]string{"type": "text", "text": text}}}, c.prompted)
}

func (c *Client) prompted(result json.RawMessage, fault *Fault) {
	if fault != nil {
		c.failed(fault)
		return
	}
	var r struct {
		Stop  string  `json:"stopReason"`
		Usage *counts `json:"usage"`
		Meta  struct {
			metaUsage
			metaFailure
		} `json:"_meta"`
	}
	readable(result, &r)
	c.end.Stop, c.end.Failed = r.Stop, r.Meta.failure()
	if c.options.Total {
		c.end.Tokens = agent.Tokens{}
	}
	c.end.take(r.Usage, r.Meta.metaUsage)
	if c.stoppedByRefusal() {
		c.refused = false
		c.resumed++
		c.events = append(c.events, Event{Kind: Resumed})
		c.prompt(withoutIt)
		return
	}
	c.over()
}

func (c *Client) failed(f *Fault) {
	c.end.Fault = f
	c.over()
}

func (c *Client) wrong(why string) {
	c.end.Wrong = why
	c.over()
}

func (c *Client) over() {
	c.end.Over = true
	c.events = append(c.events, Event{Kind: Ended})
}
