package work

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Overrun is when a task takes too long by its own estimate, all its sessions together; the zero
// value is never.
type Overrun struct {
	After time.Duration
	Of    string // the estimate, as people read it
	Stop  bool   // end the session then, and try no other

	began time.Time
	told  *atomic.Bool
}

// begin starts the clock of a task.
func (o Overrun) begin() Overrun {
	o.began, o.told = time.Now(), new(atomic.Bool)
	return o
}

// within holds a session of a task that may take too long. It is reported at once and once;
// ended says that it was stopped for that.
func (a *Attempt) within(ctx context.Context, hold func(context.Context) agent.Result) (r agent.Result, ended bool) {
	o := a.t.Overrun
	if o.After <= 0 || o.told == nil {
		return hold(ctx), false
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	text := fmt.Sprintf("it takes more than twice its estimate of %s", o.Of)
	var over atomic.Bool
	timer := time.AfterFunc(max(0, o.After-time.Since(o.began)), func() {
		if !o.told.Swap(true) {
			a.w.Tell(journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepNote, text+"; git plan replan --split "+a.t.Name+" makes smaller steps of it"))
		}
		if o.Stop {
			over.Store(true)
			stop()
		}
	})
	defer timer.Stop()
	r = hold(ctx)
	if over.Load() && r.Status == agent.Cancelled {
		r.Status, r.Reason = agent.Failed, text+" (plan.overrun=stop)"
		return r, true
	}
	return r, false
}
