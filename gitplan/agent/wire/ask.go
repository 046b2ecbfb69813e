package wire

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Hearer is told what happens while a model is asked.
type Hearer struct {
	Said    func(line string) // the answer's text, as it arrives
	Beat    func()            // something arrived, or a wait is over
	Adapted func(note string) // the request is sent again at once, in another form
	Waits   func(why string, d time.Duration)
}

// Ask asks the model once and repeats the whole request, which has no side
// effects until the answer's tools run, as often as patience allows. What the model
// said to a request that is repeated is forgotten. A fault is the error of the last one.
func (e *Endpoint) Ask(ctx context.Context, q Request, h Hearer) (Turn, error) {
	p := patience{first: e.FirstDelay, wait: e.Wait}
	for {
		q = e.form(q)
		t, err := e.exchange(ctx, q, h)
		if err == nil || ctx.Err() != nil {
			return t, err
		}
		var f *Fault
		if !errors.As(err, &f) {
			return Turn{}, err
		}
		if note := e.adapt(q, f); note != "" {
			h.Adapted(note)
			continue
		}
		delay, again := p.next(f)
		if !again {
			return Turn{}, f
		}
		h.Waits(f.Error()+"; trying again in "+agent.Short(delay), delay)
		pause(ctx, delay)
		h.Beat()
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// exchange makes one HTTP exchange, bounded by the endpoint's three limits: for the
// first byte, between two bytes, and for all of it.
func (e *Endpoint) exchange(ctx context.Context, q Request, h Hearer) (Turn, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	total := time.AfterFunc(e.Total, func() { stop(errTotal) })
	defer total.Stop()
	var begun atomic.Bool
	silence := time.AfterFunc(e.FirstByte, func() {
		if begun.Load() {
			stop(errIdle)
		} else {
			stop(errFirstByte)
		}
	})
	defer silence.Stop()

	w := wireOf(q.api)
	res, err := w.send(ctx, e, q)
	if err != nil {
		return Turn{}, e.fault(ctx, q.api, res, err)
	}
	defer res.Body.Close()
	said := agent.NewLines(h.Said)
	defer said.Flush()
	body := &alive{r: &bounded{res.Body, e.largest, e.largest}, beat: func() {
		begun.Store(true)
		silence.Reset(e.Idle)
		h.Beat()
	}}
	t, err := w.decode(res.Header, body, said.Write)
	if err != nil {
		return Turn{}, e.fault(ctx, q.api, nil, err)
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
func (p *patience) next(f *Fault) (time.Duration, bool) {
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
