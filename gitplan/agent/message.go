package agent

import "encoding/json"

// message is one entry of a conversation, in no provider's format.
type message struct {
	role   string // system, user, assistant or tool
	text   string
	calls  []call // of an assistant
	callID string // of a tool: which call this answers
	// echo holds the fields of an assistant's message that its provider wants
	// back with every later request (reasoning_content and the like).
	echo map[string]json.RawMessage
	// items are the output items of an assistant's turn, where it came over the
	// Responses API: they go back byte for byte.
	items []json.RawMessage
	sent  sent // as it was encoded for the last request
}

// call is one tool call of a turn.
type call struct {
	id, name string
	// args is always a JSON object, so that it can stand in the history: some
	// servers parse the history again and refuse it as a whole.
	args string
	bad  string // why what the model sent is no JSON object; empty when it is
	echo map[string]json.RawMessage
}

// turn is what the model answered to one request.
type turn struct {
	message
	cut      bool   // the provider ended it at its length limit
	refusal  string // the model or its provider declined to answer
	thoughts string // for the transcript, where they are no field to echo
	usage    usage
}

// usage is what the provider counted for one turn.
type usage struct {
	tokens Tokens
	usd    float64
	priced bool // usd was reported
}

// usageOf takes over a provider's count. One without any token is none: a
// request has some.
func usageOf(in, out, cached number) usage {
	t := Tokens{In: int64(max(0, in)), Out: int64(max(0, out)), Cached: int64(max(0, cached))}
	if t.In+t.Out == 0 {
		t = Tokens{}
	}
	return usage{tokens: t}
}

// cost returns what the turn cost: what the provider says, else by price.
func (u usage) cost(price Price) Cost {
	if u.priced {
		return Cost{USD: u.usd, Known: true}
	}
	return price.Of(u.tokens)
}

// request is one model call.
type request struct {
	model, effort string
	cacheKey      string // groups requests that begin alike
	messages      []message
	tools         []wireTool

	// How the endpoint is known to take it; see form.
	api     string
	without map[string]bool // parameters this endpoint does not take
}

// wireTool is what a model is told about a tool that it may call. schema is the JSON
// schema of its arguments.
type wireTool struct {
	name, about string
	schema      map[string]any
}

// size returns how many bytes a message says.
func (m message) size() int {
	n := len(m.text)
	for _, c := range m.calls {
		n += len(c.args)
	}
	return n
}

// thought returns what the model thought before it answered, as far as it is told.
func (t turn) thought() string {
	thoughts := t.thoughts
	for _, k := range []string{"reasoning_content", "reasoning"} {
		if thoughts == "" {
			thoughts = plain(t.echo[k])
		}
	}
	return thoughts
}
