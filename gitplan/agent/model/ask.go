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
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Observer is told what happens while a model is asked.
type Observer struct {
	Text  func(line string)                 // the answer's text, as it arrives
	Waits func(why string, d time.Duration) // it is sent again after d, or at once in another form
}

// Ask asks the model once, and again after faults that may pass. The error is a *[Fault], or of the context.
func (e *Endpoint) Ask(ctx context.Context, q Request, o Observer) (Turn, error) {
	p := backoff{first: e.FirstDelay, wait: max(e.Wait, e.Outage), limits: e.Wait}
	for {
		q = e.form(q)
		t, err := e.exchange(ctx, q, o)
		var f *Fault
		if err == nil || ctx.Err() != nil || !errors.As(err, &f) {
			return t, err
		}
		if note := e.adapt(q, f); note != "" {
			o.Waits(note, 0)
			continue
		}
		delay, again := p.next(f, time.Now())
		if again && p.tries == attempts && f.http == http.StatusInternalServerError && e.answersOthers(ctx, q) {
			f.kind, f.text = faultRequest, fmt.Sprintf("%d times, and a short one is answered: something in this conversation makes it fail: %s", p.tries, f.text)
			return t, f
		}
		if !again {
			return t, f
		}
		o.Waits(f.Error()+"; trying again in "+agent.Short(delay), delay)
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), agent.ErrTime) { // all that is known of the session is that fault
				return t, f
			}
		case <-time.After(delay):
		}
	}
}

// answersOthers reports whether the model answers another conversation, so that it is not away.
func (e *Endpoint) answersOthers(ctx context.Context, q Request) bool {
	q.Messages, q.Tools = []Message{{Role: "user", Text: "Say yes."}}, nil
	_, err := e.exchange(ctx, q, Observer{Text: func(string) {}})
	return err == nil
}

// exchange makes one HTTP exchange, bounded by the endpoint's three limits and the session's: keepalives hold the
// connection open, but are not an answer.
func (e *Endpoint) exchange(ctx context.Context, q Request, o Observer) (Turn, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer proc.NewClock(e.Total, func() { stop(errTotal) }).Stop()
	silence := proc.NewClock(e.FirstByte, func() { stop(errIdle) })
	defer silence.Stop()
	quiet := cmp.Or(q.Idle, e.Total)
	news := proc.NewClock(quiet, func() { stop(errNothing) })
	defer news.Stop()

	path, body, decode := "/chat/completions", chatBody(q), decodeChat
	if q.api == apiResponses {
		path, body, decode = "/responses", responsesBody(q), decodeResponses
	}
	res, err := e.request(ctx, http.MethodPost, path, body)
	if err != nil {
		return Turn{}, e.fault(ctx, q, nil, err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return Turn{}, e.fault(ctx, q, res, nil)
	}
	lines := agent.NewLines(o.Text)
	defer lines.Flush()
	stream := &bounded{r: res.Body, left: e.largest, most: e.largest, beat: func() { silence.Reset(e.Idle) }}
	t, err := decode(res.Header, stream, func(text string) {
		news.Reset(quiet)
		lines.Write(text)
	})
	if err != nil {
		return Turn{}, e.fault(ctx, q, nil, err)
	}
	e.learn(q.Model, func(c *capability) { c.answered = true })
	if t.Usage.Tokens == (agent.Tokens{}) {
		t.Usage.Tokens.Unreported = 1
	}
	return t, nil
}

// backoff decides how often and after which delay one turn is asked again.
type backoff struct {
	first        time.Duration // the first delay; doubled each time, up to the 64th
	wait, limits time.Duration // for faults that pass, in all; the second for limits

	since time.Time // of the first of them
	tries int
}

// attempts is how often a request is sent for faults that no limit explains, however short the wait is.
const attempts = 5

// next returns the delay before the request is sent again; false if it is not.
func (p *backoff) next(f *Fault, now time.Time) (time.Duration, bool) {
	if p.tries++; p.tries == 1 {
		p.since = now
	}
	delay := f.wait
	if delay == 0 {
		delay = p.first << min(p.tries-1, 6)
		delay = delay*3/4 + rand.N(delay/2+1) // so that sessions side by side do not return as one
	}
	few, most := p.tries < attempts && f.wait == 0, p.wait
	if f.kind == faultLimited {
		few, most = false, p.limits
	}
	return delay, !f.final && endings[f.kind].Transient() && (few || now.Add(delay).Sub(p.since) <= most)
}

// fault returns the fault of an exchange: of res, a refusal whose body can still be read, or of err.
func (e *Endpoint) fault(ctx context.Context, q Request, res *http.Response, err error) error {
	var own *Fault
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errIdle), errors.Is(cause, errNothing):
		own = &Fault{kind: faultSlow, text: cause.Error()}
	case errors.Is(cause, errTotal):
		own = &Fault{kind: faultTotal, text: cause.Error()}
	case cause != nil:
		return cause
	case errors.As(err, &own):
	case res != nil:
		body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		own = refused(res.StatusCode, body)
		own.wait = cmp.Or(retryAfter(res.Header), own.wait)
	default:
		own = broken(err)
	}
	if own.kind == faultAPI && q.api == apiResponses { // its error only says where it comes from
		own.kind, own.hint = faultRequest, ""
		if own.http == http.StatusNotFound {
			own.kind = faultNotFound
		}
	}
	switch answered := e.capability(q.Model).answered; {
	case !answered: // a server that was not started, or does not exist, comes no sooner for waiting
		own.final = own.unknown || own.refused && e.local
	case own.page: // of a proxy: the address is not wrong
		own.kind, own.hint = faultServer, ""
	}
	own.text = agent.OneLine(e.Mask(own.text), 500)
	return own
}

// broken returns the fault of an exchange that ended without a response, or within one.
func broken(err error) *Fault {
	f := &Fault{kind: faultUnreachable, text: err.Error()}
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		f.hint, f.unknown = hintHost, true
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		f.kind = faultCut
	case errors.As(err, &op) && op.Op != "dial":
		f.kind = faultCut
	case op != nil:
		f.hint, f.refused = hintStart, errors.Is(op, syscall.ECONNREFUSED)
		if why, ok := errors.AsType[syscall.Errno](op); ok && op.Addr != nil {
			f.text = op.Addr.String() + ": " + why.Error()
		}
	}
	return f
}
