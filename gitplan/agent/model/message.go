package model

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Message is one entry of a conversation, in no provider's format.
type Message struct {
	Role   string // system, user, assistant or tool
	Text   string
	Shared int    // the number of bytes at its beginning that other conversations have, too
	Calls  []Call // the calls in an assistant's message
	CallID string // the id of the call that a tool's message answers
	// echo holds the fields of an assistant's message that its provider expects back.
	echo  map[string]json.RawMessage
	items []json.RawMessage // an assistant's items of the Responses API, which are sent back unchanged
}

// marked reports whether a message is sent in two parts, the first of them marked for the cache.
func (m Message) marked(mark string) bool {
	return mark != "" && 0 < m.Shared && m.Shared < len(m.Text)
}

// Call is one tool call of a turn.
type Call struct {
	ID, Name string
	Args     string // a JSON object, since some servers parse the history again
	Bad      string // why the model's arguments are not a JSON object; empty if they are
	echo     map[string]json.RawMessage
}

// Turn is what the model answered to one request.
type Turn struct {
	Message
	Cut      bool   // the provider ended it at its length limit
	Refusal  string // the model or its provider declined to answer
	Thoughts string // what the model thought before it answered, as far as the endpoint says
	Tokens   agent.Tokens
	Cost     agent.Cost // the cost that OpenRouter reports
}

// Empty reports whether the answer holds neither text nor a call.
func (t Turn) Empty() bool { return len(t.Calls) == 0 && strings.TrimSpace(t.Text) == "" }

// Request is one model call.
type Request struct {
	Model, Effort string
	CacheKey      string // a name for requests that begin alike
	Messages      []Message
	Tools         []Tool
	Idle          time.Duration // the limit between two events of the answer; 0 is the endpoint's limit for all of it

	// The form that the endpoint accepts, set by form.
	api     string
	without []string // the parameters to leave out
	mark    string   // the field that marks a shared beginning for the provider's cache
}

// Tool is what the model may call; Schema is the JSON schema of its arguments.
type Tool struct {
	Name, About string
	Schema      map[string]any
}

// number reads 12, 12.0, "12" and null.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	if f, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64); err == nil && f > -1e15 && f < 1e15 {
		*n = number(f)
	}
	return nil
}

// counted is what a provider counted, by the names of the chat API and of Responses.
type counted struct {
	Prompt       number   `json:"prompt_tokens"`
	Completion   number   `json:"completion_tokens"`
	PromptParts  parts    `json:"prompt_tokens_details"`
	In           number   `json:"input_tokens"`
	Out          number   `json:"output_tokens"`
	InParts      parts    `json:"input_tokens_details"`
	CacheHit     number   `json:"prompt_cache_hit_tokens"`     // DeepSeek
	CacheCreated number   `json:"cache_creation_input_tokens"` // LiteLLM
	Cost         *float64 // OpenRouter, in US dollars
}

type parts struct {
	Cached  number `json:"cached_tokens"`
	Written number `json:"cache_write_tokens"`
}

// usage returns the count; none if it has no token, since a request has some.
func (c *counted) usage() (t agent.Tokens, cost agent.Cost) {
	if c == nil {
		return t, cost
	}
	t = agent.Tokens{In: int64(max(c.Prompt, c.In)), Out: int64(max(c.Completion, c.Out)),
		Cached:  int64(max(c.PromptParts.Cached, c.InParts.Cached, c.CacheHit)),
		Written: int64(max(c.PromptParts.Written, c.InParts.Written, c.CacheCreated))}.Believed()
	if t.In+t.Out == 0 {
		t = agent.Tokens{}
	}
	if c.Cost != nil && *c.Cost >= 0 {
		cost = agent.Cost{USD: *c.Cost, Known: true}
	}
	return t, cost
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// stringOf returns the text of a JSON value that should have been a string.
func stringOf(v json.RawMessage) string {
	if isNull(v) {
		return ""
	}
	if c := bytes.TrimSpace(v)[0]; c == '"' || c == '[' {
		return agent.TextIn(v)
	}
	return string(v)
}
