package model

import (
	"cmp"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// The APIs of OpenAI-compatible endpoints.
const (
	apiChat      = "chat"
	apiResponses = "responses"
)

// Optional parameters that are not named in one place only.
const (
	breakpoint   = "prompt_cache_breakpoint" // OpenAI, since GPT-5.6: a prefix is cached up to its mark
	cacheControl = "cache_control"           // Claude, through a server that speaks OpenAI's API
)

// optional are the parameters that a conversation can do without, those first whose names hold another's.
var optional = []string{"reasoning_effort", "reasoning", "include", "prompt_cache_key", "store", "stream_options",
	breakpoint, cacheControl}

// capability is what an endpoint turned out to take for one model.
type capability struct {
	api      string          // the API that it needs; "" if the first choice is right
	without  map[string]bool // optional parameters that it refused
	window   int             // of the model, in tokens; 0 if it did not say
	asked    bool            // for its window
	answered bool            // it has answered before
}

// Capabilities are what is known of endpoints, shared by agents. The zero value is ready.
type Capabilities struct {
	mu sync.Mutex
	of map[[2]string]capability // by base URL and model
}

func (e *Endpoint) capability(model string) capability {
	e.Capabilities.mu.Lock()
	defer e.Capabilities.mu.Unlock()
	return e.Capabilities.of[[2]string{e.BaseURL, model}]
}

// learn changes the capability of a model. f is given a copy.
func (e *Endpoint) learn(model string, f func(*capability)) {
	e.Capabilities.mu.Lock()
	defer e.Capabilities.mu.Unlock()
	at := [2]string{e.BaseURL, model}
	c := e.Capabilities.of[at]
	if c.without = maps.Clone(c.without); c.without == nil {
		c.without = map[string]bool{}
	}
	f(&c)
	if e.Capabilities.of == nil {
		e.Capabilities.of = map[[2]string]capability{}
	}
	e.Capabilities.of[at] = c
}

// form puts a request into the form that the endpoint is known to take.
func (e *Endpoint) form(q Request) Request {
	c := e.capability(q.Model)
	host := Host(e.BaseURL) // these need the Responses API for tools
	first := host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || IsAzure(host)
	q.api, q.without, q.mark = apiChat, c.without, ""
	if first {
		q.api = apiResponses
	} else {
		q.CacheKey = "" // others are not known to take it
	}
	q.api = cmp.Or(c.api, q.api)
	switch {
	case first && marksPrefixes.MatchString(q.Model) && !c.without[breakpoint]:
		q.mark = breakpoint
	case !first && q.api == apiChat && strings.Contains(strings.ToLower(q.Model), "claude") && !c.without[cacheControl]:
		q.mark = cacheControl
	}
	return q
}

// adapt learns from a request that was refused for its form, and says what it changed; "" if no other form is left.
func (e *Endpoint) adapt(q Request, f *Fault) string {
	if f.kind == faultParameter {
		for _, p := range optional {
			if f.names(p) && !q.without[p] {
				e.learn(q.Model, func(c *capability) { c.without[p] = true })
				return "the endpoint does not take " + p + "; going on without it"
			}
		}
	}
	other := ""
	switch {
	case q.api == apiChat && f.kind == faultAPI:
		other = apiResponses
	case q.api == apiResponses && f.kind == faultNotFound && f.http >= http.StatusNotFound && f.code != "model_not_found":
		other = apiChat
	default:
		return ""
	}
	again := false
	e.learn(q.Model, func(c *capability) { // once, whichever way: an endpoint that refuses both has neither
		c.api = cmp.Or(c.api, other)
		again = c.api != q.api // another session may have learned it first
	})
	if !again {
		return ""
	}
	return "the endpoint needs the API " + other + "; going on with it"
}

// marksPrefixes is the models of OpenAI's that take breakpoints: GPT-5.6 and later.
var marksPrefixes = visible.NewPattern(`(?i)^gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)(?:[.-]|$)`)
