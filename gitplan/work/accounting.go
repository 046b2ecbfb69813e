package work

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Unreported returns the sessions that no event has reported yet; Remember adds those of an earlier
// process that died before it could.
func (w *Worker) Unreported() []journal.Held {
	w.unreported.mu.Lock()
	defer w.unreported.mu.Unlock()
	return slices.Clone(w.unreported.held)
}

// Remember adds to Unreported the sessions of an earlier process. The event that will report them
// leaves out how long they took.
func (w *Worker) Remember(held []journal.Held) {
	w.common().spending.Remember(w.Config, held)
	w.unreported.mu.Lock()
	defer w.unreported.mu.Unlock()
	for _, h := range held {
		h.Took = 0
		w.unreported.held = append(w.unreported.held, h)
	}
}

// Reported forgets the sessions of Unreported: an event has just reported them.
func (w *Worker) Reported() { w.unreported.take() }

// WithSessions returns an event that reports the sessions of Unreported.
func (w *Worker) WithSessions(e journal.Event) journal.Event {
	var took time.Duration
	e.Held, took = w.unreported.take()
	for _, h := range e.Held {
		e.Tokens, e.Cost = e.Tokens.Add(h.Tokens), e.Cost.Add(h.Cost)
	}
	if len(e.Held) == 1 {
		e.Agent = e.Held[0].Agent
	}
	if len(e.Held) > 0 && e.Took == 0 {
		e.Took = took
	}
	return e
}

// Account writes an event of the whole plan for the sessions that no other event reports: what
// they used is counted, whatever became of their work.
func (w *Worker) Account(ctx context.Context, e journal.Event) error {
	if e = w.WithSessions(e); w.Doc == nil || len(e.Held) == 0 {
		return nil
	}
	e.By = journal.ByAgent
	return w.Store.Apply(context.WithoutCancel(ctx), w.Doc, w.Branch, journal.Change{Event: e})
}

// AccountFailed is Account for sessions that ended in an error, which it returns.
func (w *Worker) AccountFailed(ctx context.Context, why error) error {
	reason := visible.FirstLine(why.Error())
	if ctx.Err() != nil {
		reason = journal.Interrupted
	}
	if err := w.Account(ctx, journal.Event{Kind: journal.Failed, Reason: reason}); err != nil {
		return errors.Join(why, err)
	}
	return why
}
