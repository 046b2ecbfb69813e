package acp

import (
	"encoding/json"
	"errors"
)

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

// maxID bounds what an agent calls its requests, sessions, calls and answers, which is kept or sent back. What has
// a longer name does not count.
const maxID = 256

// message is one line, either way.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Fault          `json:"error,omitempty"`
}

// Fault is the error that answers a request.
type Fault struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// NoAuth reports whether the agent says that nobody is signed in to it.
func (f Fault) NoAuth() bool { return f.Code == codeAuth }

// Unknown reports whether the agent does not know what it was asked.
func (f Fault) Unknown() bool { return f.Code == codeNoMethod || f.Code == codeInvalid }

// Status returns the HTTP status of a provider's error, as far as an agent passes it on: as the
// code (gemini), or in the data; 0 if it does not.
func (f Fault) Status() int {
	var data struct {
		Status     int `json:"status"`
		StatusCode int `json:"statusCode"`
	}
	readable(f.Data, &data)
	for _, n := range []int{f.Code, data.Status, data.StatusCode} {
		if n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// Kind returns the kind of error that an agent names in its data (Claude's adapter); "" if it
// does not.
func (f Fault) Kind() string {
	var data struct {
		Kind string `json:"errorKind"`
	}
	readable(f.Data, &data)
	return data.Kind
}

// saysWhy asks for a [Failure], which codex's adapter reports only to those who do. Claude's does so, too, but in place
// of errors whose kinds say more.
var saysWhy = map[string]any{"jetbrains": map[string]any{"air": map[string]any{"version": 1, "capabilities": []string{"sessionFailure"}}}}

// Failure is why a turn failed that otherwise ends like one that did not.
type Failure struct {
	Category string   `json:"category"` // access, connection, limit, request or service
	Actions  []string `json:"actions"`  // what helps: login, retry, new_session; empty if nothing does
	Title    string   `json:"title"`
	Severity string   `json:"severity"` // error, or a warning of what the turn survived
}

type metaFailure struct {
	JetBrains struct {
		Air struct {
			Failure *Failure `json:"sessionFailure"`
		} `json:"air"`
	} `json:"jetbrains"`
}

// failure returns why the turn failed; nil if it does not say that it did.
func (m metaFailure) failure() *Failure {
	if f := m.JetBrains.Air.Failure; f != nil && f.Severity == "error" {
		return f
	}
	return nil
}

// readable reads JSON into v, leaves out fields of other types than expected, and reports whether
// it was JSON.
func readable(b []byte, v any) bool {
	err := json.Unmarshal(b, v)
	var mismatch *json.UnmarshalTypeError
	return err == nil || errors.As(err, &mismatch)
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
