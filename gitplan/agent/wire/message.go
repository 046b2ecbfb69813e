package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Message is one entry of a conversation, in no provider's format.
type Message struct {
	Role   string // system, user, assistant or tool
	Text   string
	Shared int    // so many of its first bytes stand in other conversations, too
	Calls  []Call // of an assistant
	CallID string // of a tool: which call this answers
	// echo holds the fields of an assistant's message that its provider expects back with every
	// later request (reasoning_content and the like).
	echo map[string]json.RawMessage
	// items are the output items of an assistant's turn, if it came over the Responses API: they
	// go back byte for byte.
	items []json.RawMessage
	sent  sent // as it was encoded for the last request
}

// Call is one tool call of a turn.
type Call struct {
	ID, Name string
	// Args is always a JSON object, so that it can stand in the history: some
	// servers parse the history again and refuse it as a whole.
	Args string
	Bad  string // why what the model sent is no JSON object; empty when it is
	echo map[string]json.RawMessage
}

// Turn is what the model answered to one request.
type Turn struct {
	Message
	Cut      bool   // the provider ended it at its length limit
	Refusal  string // the model or its provider declined to answer
	thoughts string // for the transcript, if they are not a field to echo
	Usage    Usage
}

// Usage is what the provider counted for one turn.
type Usage struct {
	Tokens agent.Tokens
	usd    float64
	priced bool // usd was reported
}

// usageOf takes over a provider's count. One without any token is none: a
// request has some.
func usageOf(in, out, cached, written number) Usage {
	t := agent.Tokens{In: int64(in), Out: int64(out), Cached: int64(cached), Written: int64(written)}.Believed()
	if t.In+t.Out == 0 {
		t = agent.Tokens{}
	}
	return Usage{Tokens: t}
}

// Cost returns what the turn cost: what the provider says, else by price.
func (u Usage) Cost(price agent.Price) agent.Cost {
	if u.priced {
		return agent.Cost{USD: u.usd, Known: true}
	}
	return price.Of(u.Tokens)
}

// Request is one model call.
type Request struct {
	Model, Effort string
	Sampling      Sampling
	CacheKey      string // groups requests that begin alike
	Messages      []Message
	Tools         []Tool
	Force         string // the tool that the model must call; "" leaves it the choice

	// How the endpoint is known to take it; see form.
	api     string
	without map[string]bool // parameters this endpoint does not take
	strict  bool            // the model is held to the tools' schemas
	mark    string          // of what conversations share
}

// Sampling is how a model chooses its next word; nil leaves it to the endpoint.
type Sampling struct {
	Temperature *float64 // from 0 to 2
	TopP        *float64 // from 0 to 1
}

// sampling returns what of the sampling the endpoint takes, as parameters of openai-go.
func (q Request) sampling() (temperature, topP param.Opt[float64]) {
	set := func(name string, x *float64) (out param.Opt[float64]) {
		if x != nil && !q.without[name] {
			out = param.NewOpt(*x)
		}
		return out
	}
	return set("temperature", q.Sampling.Temperature), set("top_p", q.Sampling.TopP)
}

// Tool describes a tool that the model may call. Schema is the JSON
// schema of its arguments.
type Tool struct {
	Name, About string
	Schema      map[string]any
}

// Size returns how many bytes a message says.
func (m Message) Size() int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Args)
	}
	return n
}

// Thought returns what the model thought before it answered, as far as the endpoint says.
func (t Turn) Thought() string {
	thoughts := t.thoughts
	for _, k := range []string{"reasoning_content", "reasoning"} {
		if thoughts == "" {
			thoughts = plain(t.echo[k])
		}
	}
	return thoughts
}

// The APIs of OpenAI-compatible endpoints, as planAgent.<name>.api names them.
const (
	apiAuto      = "auto" // by the host, and by what the endpoint says
	apiChat      = "chat"
	apiResponses = "responses"
)

// style is what the encoding of a message depends on besides the message.
type style struct {
	api string
	// thinks: DeepSeek requires reasoning_content on every assistant message, even
	// empty, once it has sent one.
	thinks bool
	mark   string
}

// sent is a message as it was encoded last.
type sent struct {
	style style
	items []byte
}

// Bounds of what one answer may hold, in bytes; no model writes as much. What
// goes beyond is lost, as if the provider had cut the answer there.
const maxSaid = 1 << 20

// growing is text that arrives in pieces, up to maxSaid.
type growing struct {
	b    bytes.Buffer
	lost bool
}

func (g *growing) add(s string) {
	if room := maxSaid - g.b.Len(); len(s) > room {
		s, g.lost = visible.Cut(s, room), true
	}
	g.b.WriteString(s)
}

func (g *growing) String() string { return g.b.String() }

// complete holds a turn to what every wire must give.
func (t Turn) complete() (Turn, error) {
	if len(t.Calls) == 0 && strings.TrimSpace(t.Text) == "" && t.Refusal == "" && !t.Cut {
		return Turn{}, &Fault{kind: faultEmpty, text: "neither text nor a tool call"}
	}
	if t.Usage.Tokens == (agent.Tokens{}) {
		t.Usage.Tokens.Unreported = 1
	}
	return t, nil
}

// A mark tells a provider where a part ends that other conversations begin with, too. Most find
// that out for themselves; two kinds cache what is marked only.
const (
	breakpoint   = "prompt_cache_breakpoint" // OpenAI, since GPT-5.6: a prefix is matched where it was marked
	cacheControl = "cache_control"           // Claude, through whoever offers it in the words of OpenAI
)
