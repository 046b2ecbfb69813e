package work

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// within runs a session of a task. If the task exceeds its estimate, it reports that immediately,
// once. ended says that it stopped the session for that.
func (o Overrun) within(ctx context.Context, report func(text string), session func(context.Context) agent.Result) (r agent.Result, ended bool) {
	if o.After <= 0 || o.warned == nil {
		return session(ctx), false
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	text := fmt.Sprintf("it has taken more than twice its estimate of %s", o.Of)
	var over atomic.Bool
	timer := time.AfterFunc(max(0, o.After-time.Since(o.began)), func() {
		if !o.warned.Swap(true) {
			report(text)
		}
		if o.Stop {
			over.Store(true)
			stop()
		}
	})
	defer timer.Stop()
	r = session(ctx)
	if over.Load() && r.Status == agent.Cancelled {
		r.Status, r.Reason = agent.Failed, text+" (plan.overrun=stop)"
		return r, true
	}
	return r, false
}

// Overrun says when a task takes too long by its own estimate, all its sessions together; the
// zero value means never.
type Overrun struct {
	After time.Duration
	Of    string // the estimate, as people read it
	Stop  bool   // end the session then, and start no other

	began  time.Time
	warned *atomic.Bool
}

// begin starts the clock of a task.
func (o Overrun) begin() Overrun {
	o.began, o.warned = time.Now(), new(atomic.Bool)
	return o
}
