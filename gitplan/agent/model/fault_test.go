package model

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// refusalScenarios: requests that are refused before there is a stream.
func refusalScenarios() []scenario {
	no := func(status int, body string, header ...string) http.HandlerFunc {
		return answering(status, jsonType, body, header...)
	}
	ok := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/responses") {
			send(w, finished(saying("ok")))
			return
		}
		send(w, delta(`{"content":"ok"}`, "stop"), streamEnd)
	}
	limit := no(429, `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`, "Retry-After", "0.002")
	key, limited, server, missing := string(faultKey), string(faultLimited), string(faultServer), string(faultNotFound)
	overflow := string(faultOverflow)
	return []scenario{
		{name: "16 an error with HTTP 200", both: no(200, `{"error":{"message":"No endpoints found","code":404}}`), gives: missing, status: agent.Unusable, says: "No endpoints"},
		{name: "17 429 with Retry-After, twice", first: []http.HandlerFunc{limit, limit}, both: ok, set: func(e *Endpoint) { e.Wait = time.Minute }, gives: "says ok", hits: 3},
		{name: "18 429 with a Retry-After beyond patience", both: no(429, `{"error":{"message":"Rate limit"}}`, "Retry-After", "300"), gives: limited, status: agent.Limited, says: "Rate limit"},
		{name: "19 429 insufficient_quota", both: no(429, `{"error":{"message":"You exceeded your quota","type":"insufficient_quota"}}`), gives: string(faultQuota), status: agent.Unauthorised, says: "quota"},
		{name: "20 500", both: no(500, `{"error":{"message":"boom"}}`), gives: server, status: agent.Unreachable, says: "boom", hits: attempts},
		{name: "a 500 for what the conversation holds", both: func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "Say yes.") {
				ok(w, r)
				return
			}
			no(500, `{"error":{"message":"boom"}}`)(w, r)
		}, set: func(e *Endpoint) { e.Wait = time.Hour }, gives: string(faultRequest), status: agent.Failed, says: "a short one is answered", hits: attempts + 1},
		{name: "21 502 with a web page", both: answering(502, "text/html", `<html>Bad gateway`), gives: server, status: agent.Unreachable, says: "web page", hits: attempts},
		{name: "22 401", both: no(401, `{"error":{"message":"Incorrect API key provided: sk-pro*********6789.","code":"invalid_api_key"}}`), gives: key, status: agent.Unauthorised, says: "[redacted]"},
		{name: "22 401 that tells the key", both: no(401, `{"error":{"message":"bad sk-test-0123456789"}}`), gives: key, status: agent.Unauthorised, says: "bad [redacted]"},
		{name: "23 401 without a body", both: answering(401, "text/plain", ""), gives: key, status: agent.Unauthorised, says: "HTTP 401"},
		{name: "24 404 model (OpenAI)", both: no(404, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`), gives: missing, status: agent.Unusable, says: "does not exist"},
		{name: "25 404 with a text (Ollama)", both: no(404, `{"error":"model 'x' not found, try pulling it first"}`), gives: missing, status: agent.Unusable, says: "pulling"},
		{name: "26 404 with a detail (FastAPI)", both: no(404, `{"detail":"Not Found"}`), gives: missing, status: agent.Unusable, says: "Not Found"},
		{name: "27 context (vLLM, flat)", both: no(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`), gives: overflow, status: agent.Failed, says: "4096"},
		{name: "28 the same in an answer (OpenAI)", chat: streaming(`{"error":{"message":"too long","code":"context_length_exceeded"}}`),
			responses: streaming(`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"too long"}}}`),
			gives:     overflow, status: agent.Failed, says: "(in its answer): too long"},
		{name: "29 nothing but keepalives", both: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, ": OPENROUTER PROCESSING\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}, set: func(e *Endpoint) { e.Idle = 300 * time.Millisecond }, gives: string(faultSlow), status: agent.Unreachable, says: "nothing but keepalives", hits: attempts},
		{name: "44 comments only, for a while", both: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 12 {
				_, _ = io.WriteString(w, ": OPENROUTER PROCESSING\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(100 * time.Millisecond)
			}
			ok(w, r)
		}, set: func(e *Endpoint) { e.Idle, e.FirstByte = time.Second, time.Second }, gives: "says ok"},
		{name: "49 a redirect to another host", both: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.invalid"+r.URL.Path, http.StatusTemporaryRedirect)
		}, gives: string(faultRedirect), status: agent.Unusable, says: "http://example.invalid"},
		{name: "403", both: no(403, `{"detail":"no"}`), gives: key, status: agent.Unauthorised, says: "no"},
		{name: "402", both: no(402, `{"error":{"message":"Insufficient credits"}}`), gives: string(faultQuota), status: agent.Unauthorised, says: "Insufficient credits"},
		{name: "404 web page", both: answering(404, "text/html", `<html>nope`), gives: missing, status: agent.Unusable, says: "web page"},
		{name: "429 without patience", both: limit, gives: limited, status: agent.Limited, says: "Rate limit"},
		{name: "503", both: no(503, `{"error":{"message":"overloaded"}}`), gives: limited, status: agent.Limited, says: "overloaded"},
		{name: "503 of a server that is down", both: no(503, "<html>Service Unavailable"), gives: string(faultServer), status: agent.Unreachable, says: "HTTP 503", hits: attempts},
		{name: "400", both: no(400, `{"error":{"message":"bad \u001b[31mthing"}}`), gives: string(faultRequest), status: agent.Failed, says: "bad [31mthing"},
		{name: "a content filter", both: no(400, `{"error":{"message":"filtered","code":"content_filter"}}`), gives: string(faultFiltered), status: agent.Failed, says: "filtered"},
		{name: "failures that pass", first: []http.HandlerFunc{no(500, ""), answering(502, "text/html", "<html>"), no(408, "")}, both: ok, gives: "says ok", hits: 4},
		{name: "tools only by /v1/responses, where chat is configured", never: "it is that API",
			chat: no(400, `{"error":{"message":"To use function tools, use /v1/responses"}}`), gives: string(faultAPI), status: agent.Unusable, says: "another model"},
	}
}

// TestConnectionRefused: an endpoint that does not exist is unreachable, with a hint.
func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	_, err = opened(t, "http://"+l.Addr().String(), nil).Ask(t.Context(), Request{Model: "m", Messages: prompted()}, nobody)
	if _, got := faultOf(err); got.Status != agent.Unreachable || !strings.Contains(got.Reason, "is the model server running?") {
		t.Errorf("got %s %q", got.Status, got.Reason)
	}
}

// TestPatience: delays double, and rate limits are waited out as long as configured.
func TestPatience(t *testing.T) {
	p := backoff{first: time.Second, wait: 10 * time.Minute}
	now := time.Now()
	for i, want := range []time.Duration{1, 2, 4, 8} {
		d, ok := p.next(&Fault{kind: faultServer}, now)
		if want *= time.Second; !ok || d < want*3/4 || d > want*5/4 {
			t.Errorf("try %d: %s, %v", i, d, ok)
		}
	}
	for tries, limit := 4, now.Add(10*time.Minute); ; tries++ {
		d, ok := p.next(&Fault{kind: faultUnreachable}, now)
		if now = now.Add(d); !ok {
			if tries < 12 || tries > 24 || now.Before(limit) {
				t.Errorf("it gives up after %d tries, at %s", tries, now.Sub(limit))
			}
			break
		}
	}
	now = time.Now()
	p = backoff{first: time.Second, limits: 10 * time.Minute}
	for range 2 {
		d, ok := p.next(&Fault{kind: faultLimited, wait: 4 * time.Minute}, now)
		if now = now.Add(d); !ok || d != 4*time.Minute {
			t.Errorf("%s, %v", d, ok)
		}
	}
	if _, ok := p.next(&Fault{kind: faultLimited, wait: 4 * time.Minute}, now); ok {
		t.Error("it waits longer than configured")
	}
}

// TestWebPageBetweenAnswers: a page from an endpoint that has answered before is a proxy's, and temporary; as
// the very first answer it means another kind of server.
func TestWebPageBetweenAnswers(t *testing.T) {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 2 {
			answering(200, "text/html", "<html>back in a minute")(w, r)
			return
		}
		answering(200, "application/json", `{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}`)(w, r)
	}))
	defer server.Close()
	e := opened(t, server.URL, nil)
	var waits []string
	h := func(e agent.Event) {
		if e.Kind == agent.Waiting {
			waits = append(waits, e.Text)
		}
	}
	for range 2 {
		if _, err := e.Ask(t.Context(), Request{Model: "m", Messages: prompted()}, h); err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 || len(waits) != 1 || !strings.Contains(waits[0], "the endpoint failed: the endpoint answered with a web page; trying again in 1s") {
		t.Errorf("asked %d times; %q", n, waits)
	}
}

// TestMessagesOfServers: error messages of servers are recognised over both APIs, and a request is repeated
// only if that may help.
func TestMessagesOfServers(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		kind   faultKind
		ends   agent.Status
		wait   time.Duration
	}{
		"OpenAI":                  {400, `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`, faultOverflow, agent.Failed, 0},
		"OpenAI, 429":             {429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 34000.","code":"rate_limit_exceeded"}}`, faultOverflow, agent.Failed, 0},
		"DeepSeek, OpenRouter":    {400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"}}`, faultOverflow, agent.Failed, 0},
		"vLLM":                    {400, `{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","code":400}`, faultOverflow, agent.Failed, 0},
		"Gemini":                  {400, `[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}]`, faultOverflow, agent.Failed, 0},
		"xAI":                     {400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, faultOverflow, agent.Failed, 0},
		"Copilot":                 {400, `{"error":{"message":"prompt token count of 90000 exceeds the limit of 64000","code":"model_max_prompt_tokens_exceeded"}}`, faultOverflow, agent.Failed, 0},
		"Kimi":                    {400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}`, faultOverflow, agent.Failed, 0},
		"GLM":                     {400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, faultOverflow, agent.Failed, 0},
		"Anthropic":               {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, faultOverflow, agent.Failed, 0},
		"Anthropic, output":       {400, `{"error":{"type":"invalid_request_error","message":"input length and max_tokens exceed context limit: 199000 + 32000 > 200000"}}`, faultOverflow, agent.Failed, 0},
		"Anthropic, 413":          {413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, faultOverflow, agent.Failed, 0},
		"413 without a body":      {413, ``, faultOverflow, agent.Failed, 0},
		"Groq, 413":               {413, `{"error":{"message":"Request too large for model on tokens per minute (TPM)","code":"rate_limit_exceeded"}}`, faultOverflow, agent.Failed, 0},
		"GitHub Models":           {413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, faultOverflow, agent.Failed, 0},
		"TGI":                     {422, `{"error":"Input validation error: inputs tokens + max_new_tokens must be <= 4097. Given: 9000","error_type":"validation"}`, faultOverflow, agent.Failed, 0},
		"Bedrock":                 {400, `{"message":"Input is too long for requested model."}`, faultOverflow, agent.Failed, 0},
		"DashScope":               {400, `{"error":{"message":"Range of input length should be [1, 129024]"}}`, faultOverflow, agent.Failed, 0},
		"LM Studio":               {400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length"}`, faultOverflow, agent.Failed, 0},
		"llama.cpp":               {400, `{"error":{"message":"too big","type":"exceed_context_size_error","code":400}}`, faultOverflow, agent.Failed, 0},
		"llama.cpp, old versions": {500, `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size","type":"server_error"}}`, faultOverflow, agent.Failed, 0},
		"Ollama":                  {500, `{"error":"prompt too long; exceeded max context length by 4 tokens"}`, faultOverflow, agent.Failed, 0},

		"Gemini, a key":         {400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, faultKey, agent.Unauthorised, 0},
		"Anthropic, no credit":  {400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, faultQuota, agent.Unauthorised, 0},
		"no such model, by 400": {400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`, faultNotFound, agent.Unusable, 0},
		"OpenRouter, a model":   {400, `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, faultNotFound, agent.Unusable, 0},
		"Ollama, no tools":      {400, `{"error":{"message":"registry.ollama.ai/library/x does not support tools"}}`, faultTools, agent.Unusable, 0},
		"OpenRouter, no tools":  {404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, faultTools, agent.Unusable, 0},
		"Gemini, a limit":       {429, `[{"error":{"code":429,"message":"You exceeded your current quota","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36s"}]}}]`, faultLimited, agent.Limited, 36 * time.Second},
		"llama.cpp, loading":    {503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, faultServer, agent.Unreachable, 0},
		"a nested error":        {400, `{"error":{"message":"{\"error\":{\"message\":\"API key not valid\"}}"}}`, faultKey, agent.Unauthorised, 0},
		"OpenRouter, behind it": {400, `{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long\"}}"}}}`, faultOverflow, agent.Failed, 0},
		"unknown":               {400, `{"error":{"message":"no"}}`, faultRequest, agent.Failed, 0},
	} {
		for _, api := range []string{apiChat, apiResponses} {
			_, hits, err := askOnce(t, answering(c.status, jsonType, c.body), over(api))
			kind, r := faultOf(err)
			again := r.Status.Transient() && c.wait == 0 && r.Status != agent.Limited
			if kind != string(c.kind) || r.Status != c.ends || r.RetryAfter != c.wait || (hits > 1) != again || strings.ContainsAny(r.Reason, "{}") {
				t.Errorf("%s over %s: %s %s after %s, asked %d times: %s", name, api, kind, r.Status, r.RetryAfter, hits, r.Reason)
			}
		}
	}
}
