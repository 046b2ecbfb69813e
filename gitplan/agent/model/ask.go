package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Ask asks the model once, and again after faults that may pass. The error is a *[Fault], or of the context. on is
// called with the lines of the answer as they arrive, and when a request is sent again: later, or at once in another form.
func (e *Endpoint) Ask(ctx context.Context, q Request, on func(agent.Event)) (Turn, error) {
	p := backoff{first: e.FirstDelay, wait: max(e.Wait, e.Outage), limits: e.Wait}
	for {
		q = e.form(q)
		t, err := e.exchange(ctx, q, on)
		var f *Fault
		if err == nil || ctx.Err() != nil || !errors.As(err, &f) {
			return t, err
		}
		if note := e.adapt(q, f); note != "" {
			on(agent.Event{Kind: agent.Waiting, Text: note})
			continue
		}
		delay, again := p.next(f, time.Now())
		if again && p.tries == attempts && f.http == http.StatusInternalServerError {
			short := q
			short.Messages, short.Tools = []Message{{Role: "user", Text: "Say yes."}}, nil
			if _, err := e.exchange(ctx, short, func(agent.Event) {}); err == nil { // so the model is not away
				again, f.kind = false, faultRequest
				f.text = fmt.Sprintf("%d times, and a short one is answered: something in this conversation makes it fail: %s",
					p.tries, f.text)
			}
		}
		if !again {
			return t, f
		}
		on(agent.Event{Kind: agent.Waiting, Text: f.Error() + "; trying again in " + max(delay.Round(time.Second), time.Second).String(),
			Wait: delay})
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), agent.ErrTime) { // all that is known of the session is that fault
				return t, f
			}
		case <-time.After(delay):
		}
	}
}

// exchange makes one HTTP exchange, within the limits of endpoint and session: keepalives are not an answer.
func (e *Endpoint) exchange(ctx context.Context, q Request, on func(agent.Event)) (Turn, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer proc.NewClock(e.Total, func() { stop(&Fault{kind: faultTotal, text: "the answer did not end in time"}) }).Stop()
	silence := proc.NewClock(e.FirstByte, func() { stop(&Fault{kind: faultSlow, text: "nothing arrived in time"}) })
	defer silence.Stop()
	quiet := cmp.Or(q.Idle, e.Total)
	news := proc.NewClock(quiet, func() { stop(&Fault{kind: faultSlow, text: "nothing but keepalives arrived"}) })
	defer news.Stop()

	lines := agent.Lines{On: on}
	defer lines.Flush()
	said := func(text string) {
		news.Reset(quiet)
		lines.Write(text)
	}
	var a answer = &chatAnswer{reported: said, thoughts: map[string]*strings.Builder{}}
	path, body := "/chat/completions", chatBody(q)
	if q.api == apiResponses {
		path, body, a = "/responses", responsesBody(q), &responsesAnswer{reported: said}
	}
	res, err := e.request(ctx, http.MethodPost, path, body)
	if err != nil {
		return Turn{}, e.fault(ctx, q, nil, err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return Turn{}, e.fault(ctx, q, res, nil)
	}
	stream := &bounded{r: res.Body, left: e.largest, most: e.largest, beat: func() { silence.Reset(e.Idle) }}
	var t Turn
	done, err := readEvents(res.Header, stream, a.event)
	if err == nil {
		t, err = a.turn(done)
	}
	if err != nil {
		return Turn{}, e.fault(ctx, q, nil, err)
	}
	e.learn(q.Model, func(c *capability) { c.answered = true })
	if t.Tokens == (agent.Tokens{}) {
		t.Tokens.Unreported = 1
	}
	return t, nil
}

// backoff decides how often and after which delay one turn is asked again.
type backoff struct {
	first        time.Duration // the first delay; doubled each time, up to the 64th
	wait, limits time.Duration // the total limits of waits: for outages, and for the provider's limits

	since time.Time // the time of the first fault
	tries int
}

// next returns the delay before the request is sent again; false if it is not.
func (b *backoff) next(f *Fault, now time.Time) (time.Duration, bool) {
	if b.tries++; b.tries == 1 {
		b.since = now
	}
	delay := f.wait
	if delay == 0 {
		delay = b.first << min(b.tries-1, 6)
		delay = delay*3/4 + rand.N(delay/2+1) // parallel sessions should not return at the same time
	}
	few, most := b.tries < attempts && f.wait == 0, b.wait
	if f.kind == faultLimited {
		few, most = false, b.limits
	}
	return delay, !f.final && endings[f.kind].Transient() && (few || now.Add(delay).Sub(b.since) <= most)
}

// fault returns the fault of an exchange: of res, a refusal whose body can still be read, or of err.
func (e *Endpoint) fault(ctx context.Context, q Request, res *http.Response, err error) error {
	var own *Fault
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &own):
	case cause != nil:
		return cause
	case errors.As(err, &own):
	case res != nil:
		body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		own = refused(res.StatusCode, body)
		after := res.Header.Get("Retry-After") // a number of seconds, or a date
		wait, _ := time.ParseDuration(after + "s")
		if t, err := http.ParseTime(after); err == nil {
			wait = time.Until(t)
		}
		own.wait = cmp.Or(max(wait, 0), own.wait)
	default:
		own = e.broken(err)
	}
	if own.kind == faultAPI && q.api == apiResponses { // its error only says where it comes from
		own.kind, own.hint = faultRequest, ""
		if own.http == http.StatusNotFound {
			own.kind = faultNotFound
		}
	}
	if e.capability(q.Model).answered { // there is such a server, and it comes back
		if own.final = false; own.hint == hintHost { // a proxy answers, so the address is right
			own.kind, own.hint = faultServer, ""
		}
	}
	own.text = agent.OneLine(agent.Mask(own.text, e.Key), 500)
	return own
}

// broken returns the fault of an exchange without a whole response. Waiting starts no server that is not there.
func (e *Endpoint) broken(err error) *Fault {
	f := &Fault{kind: faultUnreachable, text: err.Error()}
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		f.hint, f.final = "is the network up?", true
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		f.kind = faultCut
	case errors.As(err, &op) && op.Op != "dial":
		f.kind = faultCut
	case op != nil:
		f.hint, f.final = "is the model server running?", e.local && errors.Is(op, syscall.ECONNREFUSED)
		if why, ok := errors.AsType[syscall.Errno](op); ok && op.Addr != nil {
			f.text = op.Addr.String() + ": " + why.Error()
		}
	}
	return f
}

const (
	attempts = 5 // how often a request is sent for faults that no limit explains, however short the wait is

	apiChat      = "chat" // the APIs of OpenAI-compatible endpoints
	apiResponses = "responses"

	// Optional parameters that are not named in one place only.
	breakpoint   = "prompt_cache_breakpoint" // OpenAI, since GPT-5.6: a prefix is cached up to its mark
	cacheControl = "cache_control"           // Claude, through a server that speaks OpenAI's API
)

// optional are the parameters that a conversation can omit. A name that contains another one comes before it.
var optional = []string{"reasoning_effort", "reasoning", "include", "prompt_cache_key", "store", "stream_options",
	breakpoint, cacheControl}

// capability is the knowledge about one model of an endpoint, from its answers.
type capability struct {
	api      string   // the API that it needs; "" if the first choice is right
	without  []string // the optional parameters that it refused
	window   int      // the model's context in tokens; 0 if unknown
	asked    bool     // the window has been requested
	answered bool     // it has answered a request
}

// Capabilities caches the capabilities of endpoints, for several agents. The zero value is ready.
type Capabilities struct {
	mu sync.Mutex
	of map[[2]string]capability // the capabilities by base URL and model
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
	f(&c)
	if e.Capabilities.of == nil {
		e.Capabilities.of = map[[2]string]capability{}
	}
	e.Capabilities.of[at] = c
}

// form puts a request into the form that the endpoint is known to take.
func (e *Endpoint) form(q Request) Request {
	c, mark := e.capability(q.Model), ""
	host := Host(e.BaseURL) // these need the Responses API for tools
	first := host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || IsAzure(host)
	q.api, q.without, q.mark = cmp.Or(c.api, apiChat), c.without, ""
	if first {
		q.api = cmp.Or(c.api, apiResponses)
	} else {
		q.CacheKey = "" // others are not known to take it
	}
	switch {
	case first && marksPrefixes().MatchString(q.Model):
		mark = breakpoint
	case !first && q.api == apiChat && strings.Contains(strings.ToLower(q.Model), "claude"):
		mark = cacheControl
	}
	if !slices.Contains(c.without, mark) {
		q.mark = mark
	}
	return q
}

// adapt learns from a request that was refused for its form, and says what it changed; "" if no other form is left.
func (e *Endpoint) adapt(q Request, f *Fault) string {
	if f.kind == faultParameter {
		for _, p := range optional {
			if f.names(p) && !slices.Contains(q.without, p) {
				e.learn(q.Model, func(c *capability) { c.without = slices.Concat(c.without, []string{p}) })
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
