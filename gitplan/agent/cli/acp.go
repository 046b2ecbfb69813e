package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// acpStream is the client of one session by the Agent Client Protocol. cancel may be called by any goroutine.
type acpStream struct {
	lastOnly bool // the program reports the usage of its last model call only
	total    bool // the reported usage is the session's, not the turn's

	state  *streamState
	prompt string
	send   func(line []byte) // sends a line without waiting for the program

	mu      sync.Mutex
	lines   chan []byte // the lines for the program; nil if there are no more
	in, out *os.File
	next    int                   // the id of the last request
	method  string                // the method of the last request
	then    func(json.RawMessage) // the function for its result; nil after the response

	started   bool   // the program speaks the protocol
	id        string // the session's id
	cancelled bool
	over      bool // the session is over; ended says how
	ended     ending

	declined bool   // a call of this turn was refused
	refused  string // the kind of the tool that was refused last
	resumed  int    // the number of requests to continue after a refused call
	kinds    map[string]string
	cost     agent.Cost
}

const (
	acpVersion = 1      // the protocol's version; the next one ends sessions in another way
	maxUnread  = 1000   // the maximum number of lines that a program may leave unread; only the first is long
	maxKinds   = 10_000 // the maximum number of calls whose kind is remembered
	maxResumed = 10     // the maximum of resumed: copilot and qwen end a turn after a refused call
)

// begin begins the conversation, and returns what the program reads in place of the prompt.
func (a *acpStream) begin(prompt string) (_ *os.File, err error) {
	if a.in, a.out, err = os.Pipe(); err != nil {
		return nil, err
	}
	lines := make(chan []byte, maxUnread)
	a.lines = lines
	a.send = func(b []byte) { // a program that does not read is not waited for
		select {
		case a.lines <- b:
		default:
			if a.lines != nil {
				a.fail("it does not read what is sent to it")
			}
		}
	}
	go func() {
		defer a.out.Close()
		for b := range lines {
			if _, err := a.out.Write(b); err != nil {
				break
			}
		}
	}()
	a.initialize(prompt)
	return a.in, nil
}

// finish closes the program's input once all lines are written.
func (a *acpStream) finish() {
	if a.lines != nil {
		close(a.lines)
	}
	a.lines = nil
}

// close releases what begin opened.
func (a *acpStream) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finish()
	_ = a.in.Close()
	_ = a.out.Close()
}

// cancel asks the program to end the session, and reports whether there is one.
func (a *acpStream) cancel() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id == "" || a.over {
		return false
	}
	a.cancelled = true
	a.send(encode(message{Method: "session/cancel", Params: raw(map[string]string{"sessionId": a.id})}))
	return true
}

func (a *acpStream) initialize(prompt string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompt, a.kinds = prompt, map[string]string{}
	a.ask("initialize", json.RawMessage(`{"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},`+
		`"terminal":false},"clientInfo":{"name":"git-plan","title":"git plan","version":"1"},"protocolVersion":1}`),
		func(result json.RawMessage) {
			var r struct {
				Version int `json:"protocolVersion"`
			}
			if !readLine(result, &r) || r.Version != acpVersion {
				a.fail(fmt.Sprintf("it speaks version %d of the Agent Client Protocol, and version %d is needed",
					r.Version, acpVersion))
				return
			}
			a.started = true
			a.ask("session/new", map[string]any{"cwd": a.state.session.Dir, "mcpServers": []any{}}, a.opened)
		})
}

// line reads a line of the program's; after the end only the cost counts. Of its requests only permissions are met.
func (a *acpStream) line(b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var m message
	if !readLine(b, &m) {
		return
	}
	switch {
	case m.Method == "session/update" && m.ID == nil:
		a.update(m.Params)
	case a.over:
	case m.Method != "" && m.ID != nil && len(m.ID) <= maxID:
		answer := message{ID: m.ID, Error: &acpFault{Code: codeNoMethod, Message: "not offered"}}
		if m.Method == "session/request_permission" {
			answer = message{ID: m.ID, Result: a.permission(m.Params)}
		}
		a.send(encode(answer))
	case m.Method == "" && string(m.ID) == strconv.Itoa(a.next) && a.then != nil:
		then := a.then
		if a.then = nil; m.Error != nil {
			a.endBy(m.Error.ending(a.method))
		} else {
			then(m.Result)
		}
	}
}

// ask sends a request whose failure ends the session; then is given its result. No other is sent before that.
func (a *acpStream) ask(method string, params any, then func(json.RawMessage)) {
	a.next++
	a.method, a.then = method, then
	a.send(encode(message{ID: json.RawMessage(strconv.Itoa(a.next)), Method: method, Params: raw(params)}))
}

func (a *acpStream) fail(problem string) { a.endBy(ending{status: agent.Unusable, reason: problem}) }

// endBy ends the session, and closes the program's input, by which that ends.
func (a *acpStream) endBy(e ending) {
	a.over, a.ended = true, e
	a.state.ended()
	a.finish()
}

// opened asks for the configured model and effort, if the agent has that effort, and then sends the prompt.
func (a *acpStream) opened(result json.RawMessage) {
	var r struct {
		ID string `json:"sessionId"`
		offer
	}
	if !readLine(result, &r) || r.ID == "" || len(r.ID) > maxID {
		a.fail("it opened a session without a name")
		return
	}
	a.id, a.state.model = r.ID, r.of("model").Current
	effort := func() {
		m := r.of("thought_level")
		if a.state.session.Effort == "" || !slices.Contains(m.values(), a.state.session.Effort) {
			a.say(a.prompt)
			return
		}
		a.ask("session/set_config_option", map[string]string{"sessionId": a.id, "configId": m.ID, "value": a.state.session.Effort},
			func(json.RawMessage) { a.say(a.prompt) })
	}
	want, m := a.state.session.Model, r.of("model")
	method, params := "session/set_config_option", map[string]string{"sessionId": a.id, "configId": m.ID, "value": want}
	if m.ID == "" {
		method, params = "session/set_model", map[string]string{"sessionId": a.id, "modelId": want}
	}
	switch has := m.values(); {
	case want == "" || want == m.Current:
		effort()
	case len(has) == 0:
		a.fail("it offers no choice of models: name model " + want + " in the agent's command or in its own settings")
	case !slices.Contains(has, want):
		a.fail("it has no model " + want + ", but " + strings.Join(has[:min(len(has), 20)], ", "))
	default:
		a.ask(method, params, func(json.RawMessage) {
			a.state.model = want
			effort()
		})
	}
}

func (a *acpStream) say(text string) {
	a.ask("session/prompt",
		map[string]any{"sessionId": a.id, "prompt": []any{map[string]string{"type": "text", "text": text}}}, a.stopped)
}

// stopped takes the end of a turn.
func (a *acpStream) stopped(result json.RawMessage) {
	var r struct {
		Stop  string `json:"stopReason"`
		Usage counts `json:"usage"`
		Meta  struct {
			Quota struct {
				Count struct { // the form of gemini
					In  int64 `json:"input_tokens"`
					Out int64 `json:"output_tokens"`
				} `json:"token_count"`
			} `json:"quota"`
		} `json:"_meta"`
	}
	readLine(result, &r)
	used := cmp.Or(r.Usage.tokens(), agent.Tokens{In: r.Meta.Quota.Count.In, Out: r.Meta.Quota.Count.Out}.Believed())
	if a.total && used != (agent.Tokens{}) {
		a.state.tokens = agent.Tokens{}
	}
	a.state.used(used)
	resume := a.declined && !a.cancelled && a.resumed < maxResumed && (r.Stop == "end_turn" || r.Stop == "cancelled")
	if !resume || ends(a.state.last.String(), a.state.session.Nonce) {
		a.endBy(a.endOfTurn(r.Stop))
		return
	}
	a.declined = false
	a.resumed++
	a.state.inside = false
	a.state.last.Reset()
	a.state.alive()
	a.say("That tool call was refused: this session may not use such a tool. " +
		"Continue without it, and finish as you were asked to.")
}
