package work

import (
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// unreported holds the sessions of this process that no event reports yet. Reviewers'
// sessions run side by side.
type unreported struct {
	mu           sync.Mutex
	held         []journal.Held
	began, ended time.Time // the first, the last
}

// note adds a session that has ended. Sessions whose agent reported nothing are counted apart, so
// that the sums of the others are complete.
func (u *unreported) note(role agent.Role, r agent.Result, began time.Time) {
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
// reports them.
func (u *unreported) take() ([]journal.Held, time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	held, took := u.held, u.ended.Sub(u.began)
	u.held, u.began, u.ended = nil, time.Time{}, time.Time{}
	return held, took
}
