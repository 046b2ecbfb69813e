package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"
)

// message is one entry of a conversation, in no provider's format.
type message struct {
	role   string // system, user, assistant or tool
	text   string
	calls  []call // of an assistant
	callID string // of a tool: which call this answers
	// echo holds the fields of an assistant's message that its provider wants
	// back with every later request (reasoning_content and the like).
	echo map[string]json.RawMessage
	// items are the output items of an assistant's turn, where it came over the
	// Responses API: they go back byte for byte.
	items []json.RawMessage
	sent  sent // as it was encoded for the last request
}

// call is one tool call of a turn.
type call struct {
	id, name string
	// args is always a JSON object, so that it can stand in the history: some
	// servers parse the history again and refuse it as a whole.
	args string
	bad  string // why what the model sent is no JSON object; empty when it is
	echo map[string]json.RawMessage
}

// turn is what the model answered to one request.
type turn struct {
	message
	cut      bool   // the provider ended it at its length limit
	refusal  string // the model or its provider declined to answer
	thoughts string // for the transcript, where they are no field to echo
	usage    usage
}

// usage is what the provider counted for one turn.
type usage struct {
	tokens Tokens
	usd    float64
	priced bool // usd was reported
}

// usageOf takes over a provider's count. One without any token is none: a
// request has some.
func usageOf(in, out, cached number) usage {
	t := Tokens{In: int64(max(0, in)), Out: int64(max(0, out)), Cached: int64(max(0, cached))}
	if t.In+t.Out == 0 {
		t = Tokens{}
	}
	return usage{tokens: t}
}

// request is one model call.
type request struct {
	api           string
	model, effort string
	cacheKey      string // groups requests that begin alike; empty where it is not known to be taken
	messages      []message
	tools         []tool
	without       map[string]bool // parameters this endpoint does not take
}

// turn asks the model once and repeats the whole request, which has no side
// effects until its tools run, as often as patience allows.
func (c *conversation) turn(ctx context.Context) (turn, error) {
	p := patience{first: c.agent.FirstDelay, wait: c.agent.Wait}
	for {
		q := c.request()
		t, err := c.ask(ctx, q)
		if err == nil || ctx.Err() != nil {
			return t, err
		}
		var f *fault
		if !errors.As(err, &f) {
			return turn{}, err
		}
		if note := c.agent.adapt(q, f); note != "" {
			c.log.write(record{Waiting: note})
			continue
		}
		delay, again := p.next(f)
		if !again {
			return turn{}, f
		}
		c.wait(ctx, f, delay)
	}
}

// request is the next one, in the form that the endpoint is known to take.
func (c *conversation) request() request {
	l := c.agent.lesson(c.model)
	q := request{api: c.agent.apiFor(l), model: c.model, effort: c.effort, messages: c.messages, tools: c.tools, without: l.without}
	if isFirstParty(c.agent.BaseURL) {
		q.cacheKey = c.s.Plan
	}
	return q
}

// ask makes one HTTP exchange, bounded by the agent's three limits: for the
// first byte, between two bytes, and for all of it.
func (c *conversation) ask(ctx context.Context, q request) (turn, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	total := time.AfterFunc(c.agent.Total, func() { stop(errTotal) })
	defer total.Stop()
	var begun atomic.Bool
	silence := time.AfterFunc(c.agent.FirstByte, func() {
		if begun.Load() {
			stop(errIdle)
		} else {
			stop(errFirstByte)
		}
	})
	defer silence.Stop()

	w := wireOf(q.api)
	res, err := w.send(ctx, c.agent, q)
	if err != nil {
		return turn{}, c.agent.fault(ctx, q.api, res, err)
	}
	defer res.Body.Close()
	said := newLines(func(s string) { c.tell(Event{Kind: SaidText, Text: s}) })
	defer said.flush()
	body := &alive{r: &bounded{res.Body, c.agent.largest, c.agent.largest}, beat: func() {
		begun.Store(true)
		silence.Reset(c.agent.Idle)
		c.life.beat()
	}}
	t, err := w.decode(res.Header, body, said.write)
	if err != nil {
		return turn{}, c.agent.fault(ctx, q.api, nil, err)
	}
	return t, nil
}

// alive calls beat for whatever arrives: a provider's keep-alive comment is a
// sign of life like any other byte.
type alive struct {
	r    io.Reader
	beat func()
}

func (a *alive) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if n > 0 {
		a.beat()
	}
	return n, err
}

func (c *conversation) wait(ctx context.Context, f *fault, d time.Duration) {
	text := f.Error() + "; trying again in " + short(d)
	c.tell(Event{Kind: Waiting, Text: text, Wait: d})
	c.log.write(record{Waiting: text})
	c.life.hold(d)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	c.life.beat()
}

// patience decides how often and after which delay one turn is asked again.
type patience struct {
	first time.Duration // the first delay; doubled each time
	wait  time.Duration // for limits in all

	waited time.Duration
	tries  int
}

// attempts is how often a request is sent for faults that no limit explains.
const attempts = 5

// next is a function of what happened so far: the delay before the request is
// sent again, or false when it is not.
func (p *patience) next(f *fault) (time.Duration, bool) {
	if !f.passing() {
		return 0, false
	}
	p.tries++
	if f.kind != faultLimited && p.tries >= attempts || f.kind == faultEmpty && p.tries > 1 {
		return 0, false
	}
	delay := f.wait
	if delay == 0 {
		delay = p.first << min(p.tries-1, 6)
		delay = delay*3/4 + rand.N(delay/2+1) // so that sessions side by side do not return as one
	}
	if f.kind == faultLimited || f.wait > 0 {
		if p.waited+delay > p.wait {
			return 0, false
		}
		p.waited += delay
	}
	return delay, true
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
