package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Fault is the error of a model call.
type Fault struct {
	kind   faultKind
	http   int  // the status of the response; 0 without one
	inBand bool // the error came in an answer with status 200; http is then the provider's code
	text   string
	hint   string        // the advice for the person
	code   string        // the provider's code
	typ    string        // the provider's type of the error
	param  string        // the refused parameter
	wait   time.Duration // the wait that the provider asks for
	final  bool          // another attempt cannot help, whatever the kind
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
	faultTools       faultKind = "the model cannot call tools"
	faultRequest     faultKind = "request refused"
	faultFiltered    faultKind = "refused by the provider's content filter"
	faultProtocol    faultKind = "not an OpenAI-compatible answer"
	faultRedirect    faultKind = "the endpoint redirects elsewhere, and no key follows"
)

// endings are the statuses with which faults end sessions; others are failed. A transient one may go away.
var endings = map[faultKind]agent.Status{
	faultKey: agent.Unauthorised, faultQuota: agent.Unauthorised, faultLimited: agent.Limited,
	faultServer: agent.Unreachable, faultUnreachable: agent.Unreachable, faultCut: agent.Unreachable,
	faultSlow:     agent.Unreachable,
	faultNotFound: agent.Unusable, faultAPI: agent.Unusable, faultTools: agent.Unusable, faultRedirect: agent.Unusable,
	faultTotal: agent.TimedOut,
}

func (f *Fault) Error() string {
	s := string(f.kind)
	switch {
	case f.inBand:
		s += " (in its answer)"
	case f.http >= 400:
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

func (f *Fault) TooLong() bool { return f.kind == faultOverflow }

func (f *Fault) names(param string) bool {
	rest, ok := strings.CutPrefix(f.param, param) // also reasoning.effort, include[0]
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[') || strings.HasSuffix(f.param, "."+param) ||
		f.param == "" && strings.Contains(f.text, param)
}

// Result returns how a session ends by this fault.
func (f *Fault) Result() agent.Result {
	r := agent.Result{Status: cmp.Or(endings[f.kind], agent.Failed), Reason: f.Error()}
	r.Refused = f.kind == faultFiltered
	if f.kind == faultProtocol && f.hint != "" { // it is another kind of server
		r.Status = agent.Unusable
	}
	if r.Status.Transient() {
		r.RetryAfter = f.wait
	}
	return r
}

const hintHost = "check the base URL"

func refused(status int, body []byte) *Fault {
	f := readError(body, 0)
	f.kind, f.http = faultRequest, status
	if f.param != "" && slices.ContainsFunc(optional, f.names) {
		f.kind = faultParameter
	}
	for _, m := range meanings {
		if slices.Contains(m.codes, cmp.Or(f.code, "-")) || slices.Contains(m.codes, cmp.Or(f.typ, "-")) ||
			m.from <= status && status <= m.to && (m.words == nil || m.words().MatchString(f.text)) {
			f.kind = m.kind
			break
		}
	}
	if f.kind == faultAPI {
		f.hint = "choose another model or endpoint"
	}
	if f.code == "unexpected_request" { // the code of a recording's server
		f.text = f.code + ": " + f.text
	}
	return f
}

// meanings say which errors mean a kind of fault: those with one of the codes; or those with a status in from..to and,
// if words are given, one of them in the text. 0..0 matches no status. They are tried in this order. words are used only
// where the servers that a comment names have no code for it.
var meanings = []struct {
	kind     faultKind
	codes    []string
	from, to int
	words    visible.Pattern
}{
	{kind: faultOverflow, codes: []string{"context_length_exceeded", "exceed_context_size_error", "tokens_limit_reached",
		"request_too_large", "1261"}, from: 413, to: 413},
	{kind: faultOverflow, from: 400, to: 428, words: overflowWords},
	{kind: faultOverflow, from: 500, to: 500, words: overflowWords}, // Ollama, llama.cpp
	{kind: faultOverflow, from: 429, to: 429, words: visible.NewPattern(`(?i)request too large`)},
	{kind: faultQuota, codes: []string{"insufficient_quota", "billing_hard_limit_reached"}, from: 402, to: 402},
	// Anthropic, DeepSeek
	{kind: faultQuota, from: 400, to: 403, words: visible.NewPattern(`(?i)credit balance|insufficient (?:balance|credit)`)},
	{kind: faultKey, codes: []string{"invalid_api_key"}, from: 401, to: 401},
	{kind: faultKey, from: 403, to: 403},
	// Gemini, xAI
	{kind: faultKey, from: 400, to: 400, words: visible.NewPattern(`(?i)api.?key not valid|(?:invalid|incorrect) api.?key`)},
	{kind: faultFiltered, codes: []string{"content_filter", "content_policy_violation"}},
	{kind: faultAPI, from: 400, to: 404, words: visible.NewPattern(`v1/responses`)},
	// Ollama, OpenRouter
	{kind: faultTools, from: 400, to: 422, words: visible.NewPattern(
		`(?i)(?:not|no endpoints found that) support (?:the use of )?(?:tools?\b|tool use|function)`)},
	{kind: faultNotFound, codes: []string{"model_not_found"}, from: 404, to: 405},
	{kind: faultNotFound, from: 501, to: 501},
	// OpenRouter, DeepSeek
	{kind: faultNotFound, from: 400, to: 422, words: visible.NewPattern(`(?i)(?:unknown|invalid|no such) model\b|` +
		`not a valid model|\bmodel\b.{0,100}(?:not (?:exist|found)|is not supported)`)},
	{kind: faultLimited, codes: []string{"rate_limit_exceeded", "rate_limit_error", "slow_down", "server_is_overloaded",
		"overloaded_error"}, from: 429, to: 429},
	{kind: faultLimited, from: 529, to: 529},
	{kind: faultLimited, from: 503, to: 503, words: visible.NewPattern(`(?i)overloaded|capacity|rate limit`)},
	{kind: faultRequest, codes: []string{"invalid_prompt"}},
	{kind: faultServer, from: 408, to: 409},
	{kind: faultServer, from: 425, to: 425},
	{kind: faultServer, from: 500, to: 599},
	{kind: faultParameter, codes: []string{"unsupported_parameter", "unsupported_value", "unknown_parameter"}},
	{kind: faultParameter, from: 400, to: 499, words: visible.NewPattern(
		`(?i)un(?:supported|known) parameter|unrecognized request argument|extra inputs are not permitted`)},
}

// overflowWords matches the messages of servers about a request that does not fit: OpenAI, vLLM, SGLang, Mistral and LM
// Studio (context length), Bedrock, Gemini and Copilot (token count), xAI, Kimi, TGI, GitHub Models.
var overflowWords = visible.NewPattern(`(?i)context[ _](?:length|window|size|limit)|prompt(?: is)? too long|` +
	`prompt exceeds|input is too long|input tokens exceed|too many (?:input )?tokens|token count|reduce the length|` +
	`max(?:imum )?_?model_? ?len|range of input length|maximum prompt length|model token limit|` +
	`max_new_tokens|(?:body|entity|request) too large`)

// readError parses an error, which servers wrap in a text, in an array (Gemini), or in the text of another error.
func readError(body []byte, depth int) *Fault {
	var w struct {
		Message, Detail, Code, Type, Param, Error, Details json.RawMessage
		// OpenRouter: what the provider behind it said
		Metadata struct{ Raw json.RawMessage }
	}
	var list []json.RawMessage
	var text string
	body = bytes.TrimSpace(body)
	switch {
	case depth > 4:
		return &Fault{text: string(body)}
	case json.Unmarshal(body, &list) == nil && len(list) > 0:
		return readError(list[0], depth+1)
	case json.Unmarshal(body, &text) == nil:
		return readError([]byte(text), depth+1)
	case bytes.HasPrefix(body, []byte("<")):
		return &Fault{text: "the answer is a web page; a proxy, or a wrong base URL?"}
	case json.Unmarshal(body, &w) != nil:
		return &Fault{text: string(body)}
	case !isNull(w.Error):
		return readError(w.Error, depth+1)
	}
	e := &Fault{code: stringOf(w.Code), typ: stringOf(w.Type), param: stringOf(w.Param)}
	if !isNull(w.Message) {
		inner := readError(w.Message, depth+1)
		e.text, e.code, e.typ, e.wait = inner.text, cmp.Or(inner.code, e.code), cmp.Or(inner.typ, e.typ), inner.wait
	}
	if e.text == "" && !isNull(w.Detail) {
		e.text = cmp.Or(stringOf(w.Detail), string(w.Detail)) // FastAPI: a text, or a list of errors
	}
	if !isNull(w.Metadata.Raw) {
		e.text += " [" + readError(w.Metadata.Raw, depth+1).text + "]"
	}
	var details []struct{ RetryDelay string } // Google: "36s"
	_ = json.Unmarshal(w.Details, &details)
	for _, d := range details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			e.wait = max(wait, 0)
		}
	}
	return e
}

// NoQuota reports whether a provider's error, as JSON, says that no quota is left.
func NoQuota(body []byte) bool { return readError(body, 0).code == "insufficient_quota" }

// inBand returns the fault inside a successful response. Its code is often the HTTP status.
func inBand(body []byte) *Fault {
	status, err := strconv.Atoi(readError(body, 0).code)
	if err != nil || status < 400 || status > 599 {
		status = http.StatusInternalServerError
	}
	f := refused(status, body)
	f.inBand = true
	return f
}

// Hint returns what a person does first about a fault, a whole command if it is known; "" if that is to wait.
func (e *Endpoint) Hint(ctx context.Context, f *Fault, model string) string {
	set := "git config planAgent." + e.AgentName + "."
	switch f.kind {
	case faultKey:
		if e.KeyVariable != "" {
			return "put a valid key for " + Host(e.BaseURL) + " in the environment: export " + e.KeyVariable + "=KEY"
		}
		return "name the variable that has its key: " + set + "apiKeyEnv VARIABLE"
	case faultQuota:
		return "add credit, or name an agent to use instead: git config plan.executor.fallback AGENT"
	case faultTools, faultAPI:
		return "choose a model that can call tools: " + set + "model MODEL"
	case faultOverflow:
		return "choose a model with a larger context: " + set + "model MODEL"
	case faultRequest, faultParameter:
		return "look at what is configured for it: git config --get-regexp planagent." + strings.ToLower(e.AgentName)
	case faultNotFound:
		list, base, _ := e.listing(ctx)
		if base != e.BaseURL {
			return base + " lists models: " + set + "baseURL " + visible.Shell(base)
		}
		if len(list) == 0 || slices.ContainsFunc(list, func(l listed) bool { return l.is(model) }) {
			return "check the name of the model and the base URL, which usually ends in /v1: " + set + "baseURL URL"
		}
		var names []string
		for _, l := range list[:min(len(list), 5)] {
			names = append(names, agent.OneLine(l.ID+l.Name, 80))
		}
		first := visible.Shell(names[0])
		if n := len(list) - len(names); n > 0 {
			names[4] += fmt.Sprintf(" and %d more", n)
		}
		return "it has " + strings.Join(names, ", ") + ": " + set + "model " + first
	}
	return ""
}
