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

// refusalScenarios: what is refused before there is a stream.
func refusalScenarios() []scenario {
	no := func(status int, body string, header ...string) http.HandlerFunc {
		return answering(status, jsonType, body, header...)
	}
	impatient := func(e *Endpoint) { e.Wait = 0 }
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
		{name: "17 429 with Retry-After, twice", first: []http.HandlerFunc{limit, limit}, both: ok, gives: "says ok", hits: 3},
		{name: "18 429 with a Retry-After beyond patience", both: no(429, `{"error":{"message":"Rate limit"}}`, "Retry-After", "300"), gives: limited, status: agent.Limited, says: "Rate limit"},
		{name: "19 429 insufficient_quota", both: no(429, `{"error":{"message":"You exceeded your quota","type":"insufficient_quota"}}`), gives: string(faultQuota), status: agent.Unauthorised, says: "quota"},
		{name: "20 500", both: no(500, `{"error":{"message":"boom"}}`), gives: server, status: agent.Unreachable, says: "boom", hits: attempts},
		{name: "21 502 with a web page", both: answering(502, "text/html", `<html>Bad gateway`), gives: server, status: agent.Unreachable, says: "web page", hits: attempts},
		{name: "22 401", both: no(401, `{"error":{"message":"Incorrect API key provided: sk-pro*********6789.","code":"invalid_api_key"}}`), gives: key, status: agent.Unauthorised, says: "[redacted]"},
		{name: "22 401 that tells the key", both: no(401, `{"error":{"message":"bad sk-test-0123456789"}}`), gives: key, status: agent.Unauthorised, says: "bad [redacted]"},
		{name: "23 401 without a body", both: answering(401, "text/plain", ""), gives: key, status: agent.Unauthorised, says: "HTTP 401"},
		{name: "24 404 model (OpenAI)", both: no(404, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`), gives: missing, status: agent.Unusable, says: "does not exist"},
		{name: "25 404 with a text (Ollama)", both: no(404, `{"error":"model 'x' not found, try pulling it first"}`), gives: missing, status: agent.Unusable, says: "pulling"},
		{name: "26 404 with a detail (FastAPI)", both: no(404, `{"detail":"Not Found"}`), gives: missing, status: agent.Unusable, says: "Not Found"},
		{name: "27 context (vLLM, flat)", both: no(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`), gives: overflow, status: agent.Failed, says: "4096"},
		{name: "28 context (OpenAI)", both: no(400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`), gives: overflow, status: agent.Failed, says: "too long"},
		{name: "29 context (llama.cpp)", both: no(400, `{"error":{"message":"too big","type":"exceed_context_size_error","code":400}}`), gives: overflow, status: agent.Failed, says: "too big"},
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
		{name: "429 without patience", both: limit, set: impatient, gives: limited, status: agent.Limited, says: "Rate limit"},
		{name: "503", both: no(503, `{"error":{"message":"overloaded"}}`), set: impatient, gives: limited, status: agent.Limited, says: "overloaded"},
		{name: "503 of a server that is down", both: no(503, "<html>Service Unavailable"), set: impatient, gives: string(faultServer), status: agent.Unreachable, says: "HTTP 503", hits: attempts},
		{name: "400", both: no(400, `{"error":{"message":"bad \u001b[31mthing"}}`), gives: string(faultRequest), status: agent.Failed, says: "bad [31mthing"},
		{name: "a content filter", both: no(400, `{"error":{"message":"filtered","code":"content_filter"}}`), gives: string(faultFiltered), status: agent.Blocked, says: "filtered"},
		{name: "failures that pass", first: []http.HandlerFunc{no(500, ""), answering(502, "text/html", "<html>"), no(408, "")}, both: ok, gives: "says ok", hits: 4},
		{name: "tools only by /v1/responses, where chat is configured", never: "it is that API",
			chat: no(400, `{"error":{"message":"To use function tools, use /v1/responses"}}`), gives: string(faultAPI), status: agent.Unusable, says: "another model"},
	}
}

// TestNobodyListens: an endpoint that is not there is unreachable, with a hint.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	_, err = opened(t, "http://"+l.Addr().String(), nil).Ask(t.Context(), Request{Model: "m", Messages: prompted()}, nobody())
	if _, got := faultOf(err); got.Status != agent.Unreachable || !strings.Contains(got.Reason, hintStart) {
		t.Errorf("got %s %q", got.Status, got.Reason)
	}
}

// TestPatience: delays double, and limits are waited out as long as configured.
func TestPatience(t *testing.T) {
	p := backoff{first: time.Second, wait: 10 * time.Minute}
	for i, want := range []time.Duration{1, 2, 4, 8} {
		d, ok := p.next(&Fault{kind: faultServer})
		if want *= time.Second; !ok || d < want*3/4 || d > want*5/4 {
			t.Errorf("try %d: %s, %v", i, d, ok)
		}
	}
	if _, ok := p.next(&Fault{kind: faultServer}); ok {
		t.Error("it never gives up")
	}
	p = backoff{first: time.Second, wait: 10 * time.Minute}
	for range 2 {
		if d, ok := p.next(&Fault{kind: faultLimited, wait: 4 * time.Minute}); !ok || d != 4*time.Minute {
			t.Errorf("%s, %v", d, ok)
		}
	}
	if _, ok := p.next(&Fault{kind: faultLimited, wait: 4 * time.Minute}); ok {
		t.Error("it waits longer than configured")
	}
}

// TestAWebPageBetweenAnswers: a page from an endpoint that has answered before is a proxy's, and
// passes; one that is the first answer of all is another kind of server.
func TestAWebPageBetweenAnswers(t *testing.T) {
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
	h := nobody()
	h.Waits = func(why string, _ time.Duration) { waits = append(waits, why) }
	for range 2 {
		if _, err := e.Ask(t.Context(), Request{Model: "m", Messages: prompted()}, h); err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 || len(waits) != 1 || !strings.Contains(waits[0], "the endpoint failed: the endpoint answered with a web page; trying again") {
		t.Errorf("asked %d times; %q", n, waits)
	}
}
