package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Codes of errors.
const (
	codeNoMethod = -32601 // JSON-RPC's: unknown method
	codeInvalid  = -32602 // JSON-RPC's: invalid parameters
	codeAuth     = -32000 // the protocol's: not signed in
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

// ending returns the end of a session by a failed request. Its code, or its data, may be a provider's HTTP status.
func (f acpFault) ending(method string) ending {
	var data struct{ Status, StatusCode int }
	readLine(f.Data, &data)
	e := ending{status: agent.Unreachable, reason: fmt.Sprintf("%s failed with code %d: %s", method, f.Code, f.Message)}
	isHTTP := func(n int) bool { return n >= 400 && n < 600 }
	codes := []int{f.Code, data.Status, data.StatusCode}
	switch i := slices.IndexFunc(codes, isHTTP); {
	case f.Code == codeAuth:
		e.status = agent.Unauthorised
	case i >= 0:
		e.status, e.refused = byHTTP(codes[i]), true
	case f.Code == codeNoMethod || f.Code == codeInvalid:
		e.status = agent.Unusable
	}
	return e
}

// encode returns a message as sent. Messages can always be encoded.
func encode(m message) []byte {
	m.Version = "2.0"
	b, _ := json.Marshal(m)
	return append(b, '\n')
}

func raw(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}

// offer is what can be chosen in a session. Models have an older form, too.
type offer struct {
	Options []option `json:"configOptions"`
	Models  struct {
		Current string   `json:"currentModelId"`
		All     []choice `json:"availableModels"`
	} `json:"models"`
}

type option struct {
	ID       string   `json:"id"` // empty in the older form
	Category string   `json:"category"`
	Current  string   `json:"currentValue"`
	Choices  []choice `json:"options"`
}

// choice is a value, or a group of them.
type choice struct {
	Value   string   `json:"value"`
	Model   string   `json:"modelId"` // the value in the older form
	Options []choice `json:"options"`
}

// of returns the option of a category; empty without one.
func (o offer) of(category string) option {
	if i := slices.IndexFunc(o.Options, func(o option) bool { return o.Category == category }); i >= 0 {
		return o.Options[i]
	}
	if category == "model" {
		return option{Current: o.Models.Current, Choices: o.Models.All}
	}
	return option{}
}

func (o option) values() (out []string) {
	for _, c := range o.Choices {
		if v := c.Value + c.Model; v != "" {
			out = append(out, v)
		}
		out = append(out, option{Choices: c.Options}.values()...)
	}
	return out
}

// call is a tool call, or an update of one.
type call struct {
	ID     string          `json:"toolCallId"`
	Title  string          `json:"title"`
	Kind   string          `json:"kind"`
	Status string          `json:"status"`
	In     json.RawMessage `json:"rawInput"`
	Out    json.RawMessage `json:"rawOutput"`
}

// counts are the tokens of an answer. The total shows whether In includes the cache, and Out the thoughts (measured).
type counts struct {
	In      int64 `json:"inputTokens"`
	Out     int64 `json:"outputTokens"`
	Read    int64 `json:"cachedReadTokens"`
	Written int64 `json:"cachedWriteTokens"`
	Thought int64 `json:"thoughtTokens"`
	Total   int64 `json:"totalTokens"`
}

func (n counts) tokens() agent.Tokens {
	if n.In+n.Out <= 0 {
		return agent.Tokens{}
	}
	t := agent.Tokens{In: n.In, Cached: n.Read, Written: n.Written, Out: n.Out}
	cached := n.Read + n.Written
	switch n.Total - n.In - n.Out {
	case cached:
		t.In += cached
	case n.Thought:
		t.Out += n.Thought
	case cached + n.Thought:
		t.In, t.Out = t.In+cached, t.Out+n.Thought
	}
	return t.Believed()
}
