package agent

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestFaults: what goes wrong, what it is called, how a session ends by it, and
// how often it is tried again.
func TestFaults(t *testing.T) {
	const j = "application/json"
	silent := func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	}
	waits := func(o *OpenAI) { o.Wait = time.Minute }
	cases := []struct {
		name   string
		h      http.HandlerFunc
		set    func(*OpenAI)
		kind   faultKind
		status Status
		says   string
		hits   int32
	}{
		{"401", answering(401, j, `{"error":{"message":"Incorrect API key provided: sk-pro*********6789.","code":"invalid_api_key"}}`), nil, faultKey, Unauthorised, "[redacted]", 1},
		{"401 that tells the key", answering(401, j, `{"error":{"message":"bad sk-test-0123456789"}}`), nil, faultKey, Unauthorised, "bad [redacted]", 1},
		{"401 without a body", answering(401, "text/plain", ""), nil, faultKey, Unauthorised, "check the key", 1},
		{"403", answering(403, j, `{"detail":"no"}`), nil, faultKey, Unauthorised, "no", 1},
		{"402", answering(402, j, `{"error":{"message":"Insufficient credits"}}`), nil, faultQuota, Unauthorised, "add credit", 1},
		{"429 quota", answering(429, j, `{"error":{"message":"You exceeded your quota","type":"insufficient_quota"}}`), waits, faultQuota, Unauthorised, "quota", 1},
		{"429 without patience", answering(429, j, `{"error":{"message":"Rate limit"}}`), nil, faultLimited, Limited, "Rate limit", 1},
		{"429 longer than the patience", answering(429, j, `{"error":{"message":"Rate limit"}}`, "Retry-After", "3000"), waits, faultLimited, Limited, "", 1},
		{"503", answering(503, j, `{"error":{"message":"overloaded"}}`), nil, faultLimited, Limited, "overloaded", 1},
		{"404 model", answering(404, j, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`), nil, faultNotFound, Unusable, "does not exist", 1},
		{"404 text (Ollama)", answering(404, j, `{"error":"model 'x' not found, try pulling it first"}`), nil, faultNotFound, Unusable, "pulling", 1},
		{"404 detail (FastAPI)", answering(404, j, `{"detail":"Not Found"}`), nil, faultNotFound, Unusable, "/v1", 1},
		{"404 web page", answering(404, "text/html", `<html>nope`), nil, faultNotFound, Unusable, "web page", 1},
		{"context (OpenAI)", answering(400, j, `{"error":{"message":"too long","code":"context_length_exceeded"}}`), nil, faultOverflow, Failed, "too long", 1},
		{"context (vLLM, flat)", answering(400, j, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`), nil, faultOverflow, Failed, "4096", 1},
		{"context (llama.cpp)", answering(400, j, `{"error":{"message":"too big","type":"exceed_context_size_error","code":400}}`), nil, faultOverflow, Failed, "too big", 1},
		{"400", answering(400, j, `{"error":{"message":"bad \u001b[31mthing"}}`), nil, faultRequest, Failed, "bad [31mthing", 1},
		{"tools only by /v1/responses", answering(400, j, `{"error":{"message":"To use function tools, use /v1/responses"}}`), nil, faultRequest, Failed, "choose another model", 1},
		{"content filter", answering(400, j, `{"error":{"message":"filtered","code":"content_filter"}}`), nil, faultFiltered, Blocked, "filtered", 1},
		{"finish_reason content_filter", streaming(delta(`{"content":"x"}`, "content_filter"), streamEnd), nil, faultFiltered, Blocked, "", 1},
		{"500", answering(500, j, `{"error":{"message":"boom"}}`), nil, faultServer, Unreachable, "boom", attempts},
		{"502 web page", answering(502, "text/html", `<html>Bad gateway`), nil, faultServer, Unreachable, "web page", attempts},
		{"web page with 200", answering(200, "text/html", `<html>login`), nil, faultProtocol, Unusable, "web page", 1},
		{"error with 200", answering(200, j, `{"error":{"message":"No endpoints found","code":404}}`), nil, faultNotFound, Unusable, "No endpoints", 1},
		{"not JSON in the stream", streaming("{oops" + "\n\ndata: {}"), nil, faultProtocol, Failed, "cannot be read", 1},
		{"error in the stream", streaming(delta(`{"content":"x"}`, ""), `{"error":{"message":"overloaded","code":502}}`), nil, faultServer, Unreachable, "overloaded", attempts},
		{"limit in the stream", streaming(`{"error":{"message":"slow down","code":429}}`), nil, faultLimited, Limited, "slow down", 1},
		{"finish_reason error", streaming(delta(`{"content":"x"}`, "error"), streamEnd), nil, faultServer, Unreachable, "", attempts},
		{"end without an end", streaming(delta(`{"content":"hel"}`, "")), nil, faultCut, Unreachable, "", attempts},
		{"end within arguments", streaming(called(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"c"}}`)), nil, faultCut, Unreachable, "", attempts},
		{"end within an event", func(w http.ResponseWriter, r *http.Request) {
			send(w, delta(`{"content":"hel"}`, ""))
			_, _ = io.WriteString(w, `data: {"id":"c1","cho`)
		}, nil, faultCut, Unreachable, "", attempts},
		{"empty body", answering(200, j, ""), nil, faultCut, Unreachable, "", attempts},
		{"half a JSON body", answering(200, j, `{"choices":[`), nil, faultCut, Unreachable, "", attempts},
		{"connection reset", func(w http.ResponseWriter, r *http.Request) {
			send(w, delta(`{"content":"x"}`, ""))
			reset(w)
		}, nil, faultCut, Unreachable, "", attempts},
		{"no choices", streaming(`{"id":"c1","choices":[]}`, streamEnd), nil, faultEmpty, Failed, "", 2},
		{"choices null", streaming(`{"id":"c1","choices":null}`, streamEnd), nil, faultEmpty, Failed, "", 2},
		{"content null", streaming(delta(`{"content":null}`, "stop"), streamEnd), nil, faultEmpty, Failed, "", 2},
		{"no first byte", silent, func(o *OpenAI) { o.FirstByte = 30 * time.Millisecond }, faultSlow, Unreachable, "no answer began", attempts},
		{"silent after a while", func(w http.ResponseWriter, r *http.Request) { send(w, delta(`{"content":"x"}`, "")); silent(w, r) },
			func(o *OpenAI) { o.Idle = 30 * time.Millisecond }, faultSlow, Unreachable, "stopped arriving", attempts},
		{"never ending", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				send(w, delta(`{"content":"x"}`, ""))
				time.Sleep(5 * time.Millisecond)
			}
		}, func(o *OpenAI) { o.Total = 100 * time.Millisecond }, faultTotal, TimedOut, "", 1},
		{"redirect to another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.invalid/v1/chat/completions", http.StatusTemporaryRedirect)
		}, nil, faultProtocol, Unusable, "final URL", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, hits, err := askOnce(t, c.h, c.set)
			var f *fault
			if !errors.As(err, &f) {
				t.Fatalf("got %v", err)
			}
			r := f.result()
			if f.kind != c.kind || r.Status != c.status || !strings.Contains(r.Reason, c.says) || hits != c.hits {
				t.Errorf("%d hits, %q: %s, %q", hits, f.kind, r.Status, r.Reason)
			}
			if strings.Contains(r.Reason, "6789") {
				t.Errorf("the key is in %q", r.Reason)
			}
		})
	}
}

// TestFaultsThatPass: a turn is asked again until it is answered, and told as
// one turn.
func TestFaultsThatPass(t *testing.T) {
	ok := streaming(delta(`{"content":"hi"}`, "stop"), streamEnd)
	for name, faults := range map[string][]http.HandlerFunc{
		"limits":       {answering(429, "application/json", `{}`, "Retry-After-Ms", "2"), answering(429, "", "", "Retry-After-Ms", "1")},
		"failures":     {answering(500, "", ""), answering(502, "text/html", "<html>"), answering(408, "", "")},
		"cut streams":  {streaming(delta(`{"content":"no"}`, "")), func(w http.ResponseWriter, r *http.Request) { reset(w) }},
		"empty once":   {streaming(streamEnd)},
		"not streamed": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last := ok
			if name == "not streamed" {
				last = answering(200, "text/plain", `{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)
			}
			var n atomic.Int32
			got, hits, err := askOnce(t, func(w http.ResponseWriter, r *http.Request) {
				if i := int(n.Add(1)) - 1; i < len(faults) {
					faults[i](w, r)
					return
				}
				last(w, r)
			}, func(o *OpenAI) { o.Wait = time.Minute })
			if err != nil || got.text != "hi" || int(hits) != len(faults)+1 {
				t.Errorf("%q, %d hits, %v", got.text, hits, err)
			}
		})
	}
}

// TestCommentsAreLife: a provider that only sends comments for a while is alive.
func TestCommentsAreLife(t *testing.T) {
	got, _, err := askOnce(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 8 {
			_, _ = io.WriteString(w, ": OPENROUTER PROCESSING\n\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(50 * time.Millisecond)
		}
		fmt.Fprintf(w, "data:%s\r\n\r\ndata:[DONE]\r\n\r\n", delta(`{"content":"hi"}`, "stop"))
	}, func(o *OpenAI) { o.Idle, o.FirstByte = 300*time.Millisecond, 300*time.Millisecond })
	if err != nil || got.text != "hi" {
		t.Error(got.text, err)
	}
}

// TestUnsupportedParameter: what an endpoint does not take is left out, once.
func TestUnsupportedParameter(t *testing.T) {
	var last atomic.Value
	_, hits, err := askOnce(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		last.Store(string(b))
		if strings.Contains(string(b), "reasoning_effort") {
			answering(400, "application/json", `{"error":{"message":"Unsupported parameter","param":"reasoning_effort","code":"unsupported_parameter"}}`)(w, r)
			return
		}
		send(w, delta(`{"content":"hi"}`, "stop"), streamEnd)
	}, func(o *OpenAI) { o.Effort = "high" })
	if body, _ := last.Load().(string); err != nil || hits != 2 || !strings.Contains(body, `"stream":true`) || !strings.Contains(body, "include_usage") {
		t.Errorf("%d hits, %v, %s", hits, err, body)
	}
}

// TestNobodyListens: an endpoint that is not there is unreachable, with a hint.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String() + "/v1"
	_ = l.Close()
	a, err := NewOpenAI(OpenAI{BaseURL: url, Model: "m", FirstDelay: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Run(t.Context(), session(t, Executor, "x"))
	if got.Status != Unreachable || !strings.Contains(got.Reason, hintStart) {
		t.Errorf("got %s %q", got.Status, got.Reason)
	}
}

// TestPatience: delays double, and limits are waited out as long as configured.
func TestPatience(t *testing.T) {
	p := patience{first: time.Second, wait: 10 * time.Minute}
	for i, want := range []time.Duration{1, 2, 4, 8} {
		d, ok := p.next(&fault{kind: faultServer})
		if want *= time.Second; !ok || d < want*3/4 || d > want*5/4 {
			t.Errorf("try %d: %s, %v", i, d, ok)
		}
	}
	if _, ok := p.next(&fault{kind: faultServer}); ok {
		t.Error("it never gives up")
	}
	p = patience{first: time.Second, wait: 10 * time.Minute}
	for range 2 {
		if d, ok := p.next(&fault{kind: faultLimited, wait: 4 * time.Minute}); !ok || d != 4*time.Minute {
			t.Errorf("%s, %v", d, ok)
		}
	}
	if _, ok := p.next(&fault{kind: faultLimited, wait: 4 * time.Minute}); ok {
		t.Error("it waits longer than configured")
	}
}
