package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Fault is why a model call gave no turn.
type Fault struct {
	kind  faultKind
	http  int // status of the response; 0 without one
	text  string
	hint  string        // what the person can do about it
	code  string        // the provider's own
	param string        // the parameter that was refused
	wait  time.Duration // how long the provider asks to wait
	final bool          // asking again cannot help, whatever its kind

	refused bool // the connection was refused
	page    bool // a web page answered, as if all were well
}

type faultKind string

const (
	faultKey         faultKind = "not authorised"
	faultQuota       faultKind = "no quota left"
	faultLimited     faultKind = "rate limited"
	faultServer      faultKind = "the endpoint failed"
	faultUnreachable faultKind = "the endpoint cannot be reached"
	faultCut         faultKind = "the answer broke off"
	faultSlow        faultKind = "the endpoint is silent"
	faultTotal       faultKind = "one answer took too long"
	faultNotFound    faultKind = "not found"
	faultOverflow    faultKind = "the conversation does not fit into the model's context"
	faultParameter   faultKind = "parameter refused"
	faultAPI         faultKind = "the model takes tools only over another API"
	faultRequest     faultKind = "request refused"
	faultFiltered    faultKind = "refused by the provider's content filter"
	faultEmpty       faultKind = "empty answer"
	faultProtocol    faultKind = "not an OpenAI-compatible answer"
	faultRedirect    faultKind = "the endpoint redirects elsewhere, and no key follows"
)

// The causes with which an exchange is ended.
var (
	errFirstByte = errors.New("no answer began in time")
	errIdle      = errors.New("the answer stopped arriving")
	errTotal     = errors.New("the answer did not end in time")
)

func (f *Fault) Error() string {
	s := string(f.kind)
	if f.http >= 400 {
		s += fmt.Sprintf(" (HTTP %d)", f.http)
	}
	if f.text != "" {
		s += ": " + f.text
	}
	if f.hint != "" {
		s += " (" + f.hint + ")"
	}
	return s
}

// passing reports whether the same request may succeed later.
func (f *Fault) passing() bool {
	switch f.kind {
	case faultLimited, faultServer, faultUnreachable, faultCut, faultSlow, faultEmpty:
		return !f.final
	}
	return false
}

// TooLong reports whether the request does not fit into the model's context.
func (f *Fault) TooLong() bool { return f.kind == faultOverflow }

func (f *Fault) names(param string) bool {
	rest, ok := strings.CutPrefix(f.param, param) // also reasoning.effort, include[0]
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[') || strings.HasSuffix(f.param, "."+param) || f.param == "" && strings.Contains(f.text, param)
}

// Result returns how a session ends by this fault.
func (f *Fault) Result() agent.Result {
	r := agent.Result{Status: agent.Failed, Reason: f.Error()}
	switch f.kind {
	case faultKey, faultQuota:
		r.Status = agent.Unauthorised
	case faultNotFound, faultAPI, faultRedirect:
		r.Status = agent.Unusable
	case faultProtocol:
		if f.hint != "" { // it is another kind of server
			r.Status = agent.Unusable
		}
	case faultLimited:
		r.Status, r.RetryAfter = agent.Limited, f.wait
	case faultServer, faultUnreachable, faultCut, faultSlow:
		r.Status, r.RetryAfter = agent.Unreachable, f.wait
	case faultTotal:
		r.Status = agent.TimedOut
	case faultFiltered:
		r.Status, r.Question = agent.Blocked, "The provider's content filter refused this conversation: "+f.text
	}
	return r
}

const (
	hintHost  = "check the base URL"
	hintStart = "is the model server running?"
)

// refused reads an error response. Its text decides only what some servers say in no other way.
func refused(status int, body []byte) *Fault {
	e := readError(body, 0)
	f := &Fault{kind: e.kindOf(status), http: status, text: e.text, code: e.code, param: e.param}
	if f.kind == faultAPI {
		f.hint = "choose another model or endpoint"
	}
	if e.code == "unexpected_request" { // of a recording
		f.text = e.code + ": " + f.text
	}
	return f
}

func (e providerError) kindOf(status int) faultKind {
	refusal := status >= 400 && status < 500 && status != 429
	f := &Fault{param: e.param}
	switch {
	case e.is("context_length_exceeded", "exceed_context_size_error"), refusal && e.says(overflowWords...):
		return faultOverflow
	case e.is("insufficient_quota", "billing_hard_limit_reached"), status == 402:
		return faultQuota
	case status == 401, status == 403, e.is("invalid_api_key"):
		return faultKey
	case e.is("content_filter", "content_policy_violation"):
		return faultFiltered
	case (status == 400 || status == 404) && e.says("v1/responses"):
		return faultAPI
	case status == 404, status == 405, status == 501, e.is("model_not_found"):
		return faultNotFound
	case status == 429, status == 529, status == 503 && e.says("overloaded", "capacity", "rate limit"),
		e.is("rate_limit_exceeded", "rate_limit_error", "slow_down", "server_is_overloaded", "overloaded_error"):
		return faultLimited
	case status == 408, status == 409, status == 425, status >= 500 && !e.is("invalid_prompt"):
		return faultServer
	case e.is("unsupported_parameter", "unsupported_value", "unknown_parameter"), e.param != "" && slices.ContainsFunc(optional, f.names),
		e.says("unsupported parameter", "unknown parameter", "unrecognized request argument", "extra inputs are not permitted", toolChoice):
		return faultParameter
	}
	return faultRequest
}

func (e providerError) is(words ...string) bool {
	return slices.Contains(words, e.code) || slices.Contains(words, e.kind)
}

func (e providerError) says(words ...string) bool {
	text := strings.ToLower(e.text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

var overflowWords = []string{"context length", "context window", "context size", "context_length", "prompt is too long",
	"input is too long", "too many tokens", "too many input tokens", "reduce the length", "max_model_len", "range of input length"}

// providerError is the union of the error bodies that servers send.
type providerError struct{ text, code, kind, param string }

func readError(body []byte, depth int) providerError {
	var w struct {
		Message, Detail, Code, Type, Param, Error json.RawMessage
		Metadata                                  struct{ Raw json.RawMessage } // OpenRouter: what the provider behind it said
	}
	body = bytes.TrimSpace(body)
	if json.Unmarshal(body, &w) != nil || depth > 3 {
		if bytes.HasPrefix(body, []byte("<")) {
			return providerError{text: "the answer is a web page; a proxy, or a wrong base URL?"}
		}
		var s string
		if json.Unmarshal(body, &s) != nil {
			s = string(body)
		}
		return providerError{text: s}
	}
	if !isNull(w.Error) {
		return readError(w.Error, depth+1)
	}
	e := providerError{text: stringOf(w.Message), code: stringOf(w.Code), kind: stringOf(w.Type), param: stringOf(w.Param)}
	if e.text == "" && !isNull(w.Detail) {
		e.text = cmp.Or(stringOf(w.Detail), string(w.Detail)) // FastAPI: a text, or a list of what is wrong
	}
	if !isNull(w.Metadata.Raw) {
		e.text += " [" + stringOf(w.Metadata.Raw) + "]"
	}
	return e
}

// NoQuota reports whether a provider's error, as JSON, says that no quota is left.
func NoQuota(body []byte) bool { return readError(body, 0).code == "insufficient_quota" }

// inBand returns the fault inside a successful response. Its code is often the HTTP status.
func inBand(body []byte) *Fault {
	e := readError(body, 0)
	status, err := strconv.Atoi(e.code)
	if err != nil || status < 400 || status > 599 {
		status = http.StatusInternalServerError
	}
	return refused(status, body)
}

// retryAfter reads how long a provider asks to wait; 0 when it does not say.
func retryAfter(h http.Header) time.Duration {
	if ms, err := time.ParseDuration(h.Get("Retry-After-Ms") + "ms"); err == nil && ms > 0 {
		return ms
	}
	v := h.Get("Retry-After")
	if d, err := time.ParseDuration(v + "s"); err == nil && d > 0 {
		return d
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}

// Hint returns what a person does first about a fault, a whole command if it is known; "" if that is
// to wait. An endpoint without the model is asked which ones it has.
func (e *Endpoint) Hint(ctx context.Context, f *Fault, model string) string {
	set := "git config planAgent." + e.AgentName + "."
	switch f.kind {
	case faultKey:
		if e.KeyVariable != "" {
			return "put a valid key for " + Host(e.BaseURL) + " in the environment: export " + e.KeyVariable + "=KEY"
		}
		return "name the variable that has its key: " + set + "apiKeyEnv VARIABLE"
	case faultQuota:
		return "add credit, or name an agent that goes on in its place: git config plan.executor.fallback AGENT"
	case faultNotFound:
		list, _ := e.models(ctx)
		if len(list) == 0 || slices.ContainsFunc(list, func(l listed) bool { return l.is(model) }) {
			return "check the name of the model and the base URL, which usually ends in /v1: " + set + "baseURL URL"
		}
		var names []string
		for _, l := range list[:min(len(list), 5)] {
			names = append(names, l.shown())
		}
		if n := len(list) - len(names); n > 0 {
			names[4] += fmt.Sprintf(" and %d more", n)
		}
		return "it has " + strings.Join(names, ", ") + ": " + set + "model " + visible.Shell(list[0].shown())
	}
	return ""
}
