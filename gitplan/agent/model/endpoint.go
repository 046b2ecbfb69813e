package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Bounds of what a model server may send in one answer.
const (
	maxStream = 256 << 20 // providers pad the events of long answers
	maxHeader = 1 << 20
)

// Endpoint is an OpenAI-compatible model server. [Endpoint.Open] makes it ready.
type Endpoint struct {
	AgentName string // the name of its agent, for hints: planAgent.<name>.baseURL
	// BaseURL is the endpoint's address, usually up to /v1; Key is sent to it and to no other.
	BaseURL, Key string
	KeyVariable  string        // the environment variable with the key, for hints; "" if there is none
	Capabilities *Capabilities // the shared knowledge about endpoints; nil for its own

	Wait       time.Duration // the limit of waits for a provider's limits in one turn
	Outage     time.Duration // the limit of waits for an endpoint that cannot be reached, if it is longer than Wait
	FirstDelay time.Duration // the delay before the first retry (default 1 s), which then doubles
	// FirstByte, Idle and Total limit one model call: until the answer begins (default 5 min, since
	// local models may read a prompt for minutes), between two bytes of it (2 min), and all of it (20 min).
	FirstByte, Idle, Total time.Duration

	largest int // the maximum size of an answer in bytes; maxStream, except in tests
	http    *http.Client
	local   bool // the endpoint is on loopback
}

// OpenAI is the base URL of OpenAI itself.
const OpenAI = "https://api.openai.com/v1"

// Open checks e and fills in defaults. The error never holds the key.
func (e *Endpoint) Open() error {
	e.BaseURL = cmp.Or(e.BaseURL, OpenAI)
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.User != nil || u.RawQuery+u.Fragment != "" { // these may contain a key
		return errors.New("its base URL must be http:// or https://, a host and a path, and no more")
	}
	u.RawPath, u.Path = "", strings.TrimRight(u.Path, "/")
	for _, pasted := range []string{"/chat/completions", "/responses"} {
		u.Path = strings.TrimSuffix(u.Path, pasted)
	}
	e.BaseURL, e.local = u.String(), IsLoopback(Host(e.BaseURL))
	if strings.ContainsFunc(e.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("its key contains white space or characters that no key has")
	}
	e.Capabilities = cmp.Or(e.Capabilities, &Capabilities{})
	e.FirstDelay = cmp.Or(e.FirstDelay, time.Second)
	e.FirstByte = cmp.Or(e.FirstByte, 5*time.Minute)
	e.Idle = cmp.Or(e.Idle, 2*time.Minute)
	e.Total = cmp.Or(e.Total, 20*time.Minute)
	e.largest = cmp.Or(e.largest, maxStream)
	// openai-go's client reads a key from the environment and would send it to any endpoint.
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 0 // ask has its own limits
	t.DisableCompression = true // a compressed stream arrives in lumps
	t.MaxResponseHeaderBytes = maxHeader
	// Pings find dead connections long before the idle limit would.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}
	// The key was given for this endpoint, and http.Client would take it along.
	e.http = &http.Client{Transport: t, CheckRedirect: func(q *http.Request, _ []*http.Request) error {
		return &Fault{kind: faultRedirect, text: agent.OneLine("to "+q.URL.Scheme+"://"+q.URL.Host, 200),
			hint: fmt.Sprintf("if that is right, set planAgent.%s.baseURL to it", e.AgentName)}
	}}
	return nil
}

// Close closes the connections that no request uses.
func (e *Endpoint) Close() { e.http.CloseIdleConnections() }

// Host returns the host that a base URL names, in small letters; "" if it names none.
func Host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// IsLoopback reports whether a [Host] is this machine.
func IsLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// IsAzure reports whether a [Host] is one of Azure's, which has its own header for the key.
func IsAzure(host string) bool {
	return strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".services.ai.azure.com")
}

// authorise gives the key in the way that the endpoint asks for.
func (e *Endpoint) authorise(header http.Header) {
	switch {
	case e.Key == "":
	case IsAzure(Host(e.BaseURL)):
		header.Set("api-key", e.Key)
	default:
		header.Set("Authorization", "Bearer "+e.Key)
	}
}

// Reach says why a session with a model would fail, as far as free requests show, and whether the model is listed.
func (e *Endpoint) Reach(ctx context.Context, model string) (lists bool, err error) {
	list, base, err := e.listing(ctx)
	switch {
	case err != nil || len(list) == 0 || IsAzure(Host(e.BaseURL)): // Azure does not list deployments
		return false, err
	case base != e.BaseURL:
		return false, &Fault{kind: faultNotFound, text: "it lists no models at this base URL"}
	case !slices.ContainsFunc(list, func(l listed) bool { return l.is(model) }):
		return false, &Fault{kind: faultNotFound, text: fmt.Sprintf("it lists no model %q", model)}
	}
	return true, nil
}

// listing returns the endpoint's list, or the one below its /v1 if only that has one, and the base URL that has it.
func (e *Endpoint) listing(ctx context.Context) (list []listed, base string, err error) {
	if list, err = e.models(ctx); err != nil || len(list) > 0 || strings.HasSuffix(e.BaseURL, "/v1") {
		return list, e.BaseURL, err
	}
	below := *e
	below.BaseURL += "/v1"
	if list, _ = below.models(ctx); len(list) > 0 {
		return list, below.BaseURL, nil
	}
	return nil, e.BaseURL, nil
}

// request asks for a path below the base URL, with a body that is sent as JSON, or none.
func (e *Endpoint) request(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var content bytes.Buffer
	if body != nil {
		encoder := json.NewEncoder(&content)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(body); err != nil {
			return nil, err
		}
	}
	q, err := http.NewRequestWithContext(ctx, method, e.BaseURL+path, bytes.NewReader(content.Bytes()))
	if err != nil {
		return nil, err
	}
	q.Header.Set("User-Agent", "git-plan")
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "text/event-stream")
	}
	e.authorise(q.Header)
	return e.http.Do(q)
}

// listed is a model in a list of them, with its context in tokens as vLLM and OpenRouter say it.
type listed struct {
	ID, Name string
	Owner    string `json:"owned_by"`
	Max      number `json:"max_model_len"`
	Length   number `json:"context_length"`
}

// is reports whether the endpoint takes a name for this model: also without Gemini's prefix or Ollama's tag, and with
// OpenRouter's variant. llama.cpp takes any name, and LiteLLM lists patterns.
func (l listed) is(model string) bool {
	name := strings.TrimPrefix(l.ID+l.Name, "models/")
	plain, _, _ := strings.Cut(model, ":")
	return name == model || name == plain || strings.TrimSuffix(name, ":latest") == model || l.Owner == "llamacpp" ||
		strings.Contains(name, "*")
}

// models returns the endpoint's list; an endpoint without one has answered, too.
func (e *Endpoint) models(ctx context.Context) ([]listed, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, &Fault{kind: faultSlow, text: "nothing arrived in time"})
	defer cancel()
	res, err := e.request(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, e.fault(ctx, Request{}, nil, err)
	}
	defer res.Body.Close()
	var answer struct{ Data, Models []listed }
	switch s := res.StatusCode; {
	case s == http.StatusOK:
		_ = json.NewDecoder(io.LimitReader(res.Body, maxEvent)).Decode(&answer)
	case s >= 300 && s != http.StatusNotFound && s != http.StatusMethodNotAllowed && s != http.StatusTooManyRequests:
		return nil, e.fault(ctx, Request{}, res, nil)
	}
	return append(answer.Data, answer.Models...), nil
}

// UsualWindow and LocalWindow are what a context is taken for, in tokens, until the endpoint reports it.
const (
	UsualWindow = 128_000
	LocalWindow = 32_000
)

// WindowOf returns the context of a model in tokens, as the endpoint said, or a guess.
func (e *Endpoint) WindowOf(model string) int {
	guess := UsualWindow
	if e.local {
		guess = LocalWindow
	}
	return cmp.Or(e.capability(model).window, guess)
}

// AskWindow asks the endpoint for a model's context, once in a process.
func (e *Endpoint) AskWindow(ctx context.Context, model string) int {
	var list []listed
	if !e.capability(model).asked {
		list, _ = e.models(ctx)
	}
	e.learn(model, func(c *capability) {
		c.asked = true
		for _, l := range list {
			if n := max(l.Max, l.Length); l.is(model) && n >= 1000 && n <= 100_000_000 {
				c.window = int(n)
			}
		}
	})
	return e.WindowOf(model)
}
