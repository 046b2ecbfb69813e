package cli

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// acpVersion is that of the protocol. Its successor differs in how a session ends.
const acpVersion = 1

// acpOptions are what a session is held with.
type acpOptions struct {
	Dir           string // absolute
	Prompt        string
	Model, Effort string // "": the agent's own
	Writes        bool   // whether it may change files and run commands
	// Answered reports whether what was said last is the answer that the prompt asks for; nil if anything is.
	Answered func() bool
	Total    bool // the usage that it reports is that of the session so far, not of the turn
}

// acpClient is our side of one session. Its methods may be called by several goroutines.
type acpClient struct {
	options acpOptions
	send    func(line []byte)

	mu      sync.Mutex
	next    int
	waiting map[string]func(json.RawMessage, *acpFault) // for an answer, by the id of the request
	stage   string
	session string
	stopped bool // the session was cancelled
	refused bool // a call of this turn was refused
	resumed int  // how often it was asked to go on after that
	kinds   map[string]string
	events  []acpEvent // of the line that is heard
	end     acpEnd
}

// newACPClient returns a client that has said nothing yet. send must not wait for the agent.
func newACPClient(o acpOptions, send func(line []byte)) *acpClient {
	return &acpClient{options: o, send: send, waiting: map[string]func(json.RawMessage, *acpFault){}, kinds: map[string]string{}}
}

// acpEnd is how a session ended, as far as the agent says.
type acpEnd struct {
	Over    bool   // the agent has said all that it will
	Begun   bool   // it speaks the protocol
	Stage   string // the request that was answered last, or was not
	Stop    string // the stop reason; "" without one
	Fault   *acpFault
	Wrong   string // why the session could not begin though nothing failed
	Refused string // the tool that was refused last
	Called  bool   // a tool was called
	Model   string
	used    acpUsage
}

// Begin opens the conversation.
func (c *acpClient) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	offered := map[string]any{"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false}
	c.ask(mInitialize, map[string]any{
		"protocolVersion":    acpVersion,
		"clientCapabilities": offered,
		"clientInfo":         map[string]string{"name": "git-plan", "title": "git plan", "version": "1"},
	}, c.initialized)
}

// Cancel asks the agent to end the session, and reports whether there is one to end.
func (c *acpClient) Cancel() bool {
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
func (c *acpClient) Ended() acpEnd {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.end
	e.Stage = c.stage
	return e
}

// Hear reads one line of the agent's. What is no message does not count, nor what comes after the end but for
// what the session used.
func (c *acpClient) Hear(b []byte) []acpEvent {
	c.mu.Lock()
	defer c.mu.Unlock()
	var m message
	if !readLine(b, &m) {
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
func (c *acpClient) ask(method string, params any, then func(json.RawMessage, *acpFault)) {
	c.next++
	c.stage = method
	id := strconv.Itoa(c.next)
	c.waiting[id] = then
	c.send(line(message{ID: json.RawMessage(id), Method: method, Params: raw(params)}))
}

func (c *acpClient) answered(m message) {
	then, ok := c.waiting[string(m.ID)]
	if !ok {
		return // of a request that we never made, or a second answer
	}
	delete(c.waiting, string(m.ID))
	then(m.Result, m.Error)
}

// asked answers a request. Only permissions are given: nothing else was offered.
func (c *acpClient) asked(m message) {
	if len(m.ID) > maxID {
		return
	}
	answer := message{ID: m.ID, Error: &acpFault{Code: codeNoMethod, Message: "not offered"}}
	if m.Method == mPermission {
		answer = message{ID: m.ID, Result: c.permission(m.Params)}
	}
	c.send(line(answer))
}

func (c *acpClient) initialized(result json.RawMessage, fault *acpFault) {
	var r struct {
		Version int `json:"protocolVersion"`
	}
	switch {
	case fault != nil:
		c.failed(fault)
	case !readLine(result, &r) || r.Version != acpVersion:
		c.wrong("it speaks version " + strconv.Itoa(r.Version) + " of the Agent Client Protocol, and version " + strconv.Itoa(acpVersion) + " is needed")
	default:
		c.end.Begun = true
		c.ask(mNew, map[string]any{"cwd": c.options.Dir, "mcpServers": []any{}}, c.opened)
	}
}

func (c *acpClient) opened(result json.RawMessage, fault *acpFault) {
	if fault != nil {
		c.failed(fault)
		return
	}
	var r struct {
		ID string `json:"sessionId"`
		offer
	}
	if !readLine(result, &r) || r.ID == "" || len(r.ID) > maxID {
		c.wrong("it opened a session without a name")
		return
	}
	c.session = r.ID
	c.end.Model = r.offer.model()
	c.choose(r.offer)
}

func (c *acpClient) prompt(text string) {
	c.ask(mPrompt, map[string]any{"sessionId": c.session,
		"prompt": []any{map[string]string{"type": "text", "text": text}}}, c.prompted)
}

func (c *acpClient) prompted(result json.RawMessage, fault *acpFault) {
	if fault != nil {
		c.failed(fault)
		return
	}
	var r struct {
		Stop  string    `json:"stopReason"`
		Usage *counts   `json:"usage"`
		Meta  metaUsage `json:"_meta"`
	}
	readLine(result, &r)
	c.end.Stop = r.Stop
	if c.options.Total {
		c.end.used.tokens = agent.Tokens{}
	}
	c.end.used.take(r.Usage, r.Meta)
	if c.stoppedByRefusal() {
		c.refused = false
		c.resumed++
		c.events = append(c.events, acpEvent{Kind: acpResumed})
		c.prompt(withoutIt)
		return
	}
	c.over()
}

func (c *acpClient) failed(f *acpFault) {
	c.end.Fault = f
	c.over()
}

func (c *acpClient) wrong(why string) {
	c.end.Wrong = why
	c.over()
}

func (c *acpClient) over() {
	c.end.Over = true
	c.events = append(c.events, acpEvent{Kind: acpEnded})
}

// The methods of the protocol that are used here.
const (
	mInitialize = "initialize"
	mNew        = "session/new"
	mPrompt     = "session/prompt"
	mCancel     = "session/cancel"
	mOption     = "session/set_config_option"
	mModel      = "session/set_model"

	mUpdate     = "session/update"             // of the agent
	mPermission = "session/request_permission" // of the agent
)

// Codes of errors.
const (
	codeNoMethod = -32601 // JSON-RPC's: the method is not known
	codeInvalid  = -32602 // JSON-RPC's: its parameters are not valid
	codeAuth     = -32000 // the protocol's: nobody is signed in
)

// message is one line, either way.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *acpFault       `json:"error,omitempty"`
}

// acpFault is the error that answers a request.
type acpFault struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// NoAuth reports whether the agent says that nobody is signed in to it.
func (f acpFault) NoAuth() bool { return f.Code == codeAuth }

// Unknown reports whether the agent does not know what it was asked.
func (f acpFault) Unknown() bool { return f.Code == codeNoMethod || f.Code == codeInvalid }

// Status returns the HTTP status of a provider's error, as far as an agent passes it on: as the
// code (gemini), or in the data; 0 if it does not.
func (f acpFault) Status() int {
	var data struct {
		Status     int `json:"status"`
		StatusCode int `json:"statusCode"`
	}
	readLine(f.Data, &data)
	for _, n := range []int{f.Code, data.Status, data.StatusCode} {
		if n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// line returns a message as it is sent. What we send can always be encoded.
func line(m message) []byte {
	m.Version = "2.0"
	b, _ := json.Marshal(m)
	return append(b, '\n')
}

func raw(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}
