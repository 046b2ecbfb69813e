package work

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Untold are the sessions that no event tells of yet; Remember adds those of an
// earlier process, which died before it could.
func (w *Worker) Untold() []journal.Held {
	w.untold.mu.Lock()
	defer w.untold.mu.Unlock()
	return slices.Clone(w.untold.held)
}

// Remember is described at Untold. How long those took is not in the time of the event
// that will tell of them.
func (w *Worker) Remember(held []journal.Held) {
	w.untold.mu.Lock()
	defer w.untold.mu.Unlock()
	for _, h := range held {
		h.Took = 0
		w.untold.held = append(w.untold.held, h)
	}
}

// Told forgets the sessions that no event tells of yet: one has just done so.
func (w *Worker) Told() { w.untold.take() }

// Telling is an event that tells of the sessions that none tells of yet.
func (w *Worker) Telling(e journal.Event) journal.Event {
	var took time.Duration
	e.Held, took = w.untold.take()
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

// Account writes an event of the whole plan for the sessions that no other tells
// of: what they used is counted, whatever became of their work.
func (w *Worker) Account(ctx context.Context, e journal.Event) error {
	if e = w.Telling(e); w.Doc == nil || len(e.Held) == 0 {
		return nil
	}
	e.By = journal.ByAgent
	err := w.Store.Apply(context.WithoutCancel(ctx), w.Doc, w.Branch, journal.Change{Event: e})
	if err == nil {
		w.Tip = w.Doc.Tip
	}
	return err
}

// AccountFailed is Account of sessions whose work came to nothing, by an error
// that it returns.
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

// untold are the sessions of this process that no event tells of yet. Reviewers'
// sessions run side by side.
type untold struct {
	mu           sync.Mutex
	held         []journal.Held
	began, ended time.Time // the first, the last
}

// note adds a session that is over. What somebody told nothing of stands apart, so
// that the sums of the others are whole.
func (u *untold) note(role agent.Role, r agent.Result, began time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.began.IsZero() || began.Before(u.began) {
		u.began = began
	}
	u.ended = time.Now()
	took := u.ended.Sub(began)
	for i := range u.held {
		h := &u.held[i]
		if h.Role == role && h.Agent == r.Agent && h.Cost.Known == r.Cost.Known && (h.Tokens.Unreported > 0) == (r.Tokens.Unreported > 0) && h.Took > 0 {
			h.Sessions, h.Tokens, h.Cost, h.Took = h.Sessions+1, h.Tokens.Add(r.Tokens), h.Cost.Add(r.Cost), h.Took+took
			return
		}
	}
	u.held = append(u.held, journal.Held{Role: role, Agent: r.Agent, Sessions: 1, Tokens: r.Tokens, Cost: r.Cost, Took: took})
}

// take returns them, and how long they took from the first to the last; the caller
// tells of them.
func (u *untold) take() ([]journal.Held, time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	held, took := u.held, u.ended.Sub(u.began)
	u.held, u.began, u.ended = nil, time.Time{}, time.Time{}
	return held, took
}

// HoldText keeps the plan's text as it is from before a session until its work
// is settled: what a person types meanwhile is stored after that, so whatever
// else moves the plan is no person. It is held once, by whoever asks first.
func (w *Worker) HoldText(ctx context.Context) (release func(), err error) {
	if w.Doc == nil || w.text != nil {
		return func() {}, nil
	}
	soon, cancel := context.WithTimeout(ctx, journal.Patience)
	defer cancel()
	text, err := journal.WaitText(soon, w.Repo, w.Doc.ID, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fault.New(fault.ErrBusy, "a git plan edit that stores what was typed does not end")
	}
	if err != nil {
		return nil, err
	}
	if w.Tip, err = w.Repo.Resolve(ctx, journal.RefPrefix+w.Doc.ID); err != nil {
		return nil, errors.Join(err, text.Close())
	}
	w.text = text
	return func() {
		w.text = nil
		_ = text.Close()
	}, nil
}
