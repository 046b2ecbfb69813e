package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// often is how often a browser is sent something at most.
const often = 50 * time.Millisecond

// hub holds what browsers are sent; while one listens, a goroutine follows the plan for all of them.
type hub struct {
	mu      sync.Mutex
	version int // grows with each change of the plan
	calls   []Call
	heard   int           // number of calls there were
	more    chan struct{} // closed when there is something new

	watchers int
	end      context.CancelFunc
	ended    <-chan struct{}
}

// position is what a browser has.
type position struct{ version, calls int }

type news struct {
	Changed bool   `json:"changed,omitempty"` // the page must be read again
	Calls   []Call `json:"calls,omitempty"`
}

// since returns the news after a position, the new position, and a channel that is closed at the next news.
func (h *hub) since(at position) (news, position, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.more == nil {
		h.more = make(chan struct{})
	}
	n := news{Changed: at.version != h.version}
	for _, c := range h.calls {
		if c.N > at.calls {
			n.Calls = append(n.Calls, c)
		}
	}
	return n, position{h.version, h.heard}, h.more
}

// note changes what browsers are sent, and wakes those who listen.
func (h *hub) note(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	if h.more != nil {
		close(h.more)
		h.more = nil
	}
}

func (h *hub) changed() { h.note(func() { h.version++ }) }

// call notes what a session does; the browser drops the calls of the session before it.
func (h *hub) call(n journal.Notice) {
	if c := callOf(n); c.Text != "" {
		h.note(func() {
			h.heard++
			c.N = h.heard
			h.calls = append(h.calls[max(0, len(h.calls)+1-mostCalls):], c)
		})
	}
}

// stream writes server-sent events until the browser leaves; a slow one gets the newest state.
func (s *Server) stream(until context.Context) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer s.streams.Add(-1)
		if s.streams.Add(1) > mostStreams {
			http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
			return
		}
		ended, leave := s.join(until)
		defer leave()
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w)
		write := func(format string, args ...any) error {
			_ = flush.SetWriteDeadline(time.Now().Add(s.patience()))
			fmt.Fprintf(w, format, args...)
			return flush.Flush()
		}
		if write(": follows\n\n") != nil {
			return
		}
		for at := (position{}); ; {
			n, now, more := s.hub.since(at)
			if n.Changed || len(n.Calls) > 0 {
				data, err := json.Marshal(n)
				if err != nil || write("data: %s\n\n", data) != nil {
					return // it reads no more
				}
			}
			at = now
			select {
			case <-r.Context().Done():
				return
			case <-ended:
				return
			case <-more:
				time.Sleep(often)
			}
		}
	}
}

// join has the plan followed while a browser listens. The channel is closed when that ends.
func (s *Server) join(until context.Context) (ended <-chan struct{}, leave func()) {
	h := &s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers++; h.watchers == 1 {
		ctx, end := context.WithCancel(until)
		done := make(chan struct{})
		h.end, h.ended, h.calls = end, done, nil
		go func() {
			defer close(done)
			s.follow(ctx)
		}()
	}
	return h.ended, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.watchers--; h.watchers == 0 {
			h.end()
		}
	}
}

// follow follows the plan, and reports a change first: one may have been missed since the page was read.
func (s *Server) follow(ctx context.Context) {
	_ = s.Open(ctx, func(co *checkout.Checkout) error {
		if err := co.Load(ctx); err != nil {
			return err
		}
		return journal.Follow(ctx, co.Repo, co.Doc.ID, journal.Following{
			Began: func(journal.Holder) { s.hub.changed() },
			Notice: func(n journal.Notice) {
				switch n.Kind {
				case journal.StepStart, journal.StepDone, journal.StepBlocked, journal.StepFailed, journal.ReviewRound, journal.ReviewEnd, journal.RunEnd, journal.SessionStart:
					s.hub.changed()
				}
				s.hub.call(n)
			},
			Ended: func(bool) { s.hub.changed() },
			Changed: func(bool) error {
				s.hub.changed()
				return ctx.Err()
			},
		})
	})
}

// Call is one line about what a running session does, or what is done for it. N counts them.
type Call struct {
	N     int    `json:"n"`
	Step  string `json:"step"` // "" for a review
	Who   string `json:"who"`
	Time  string `json:"time"`
	Text  string `json:"text"`
	Fresh bool   `json:"fresh,omitempty"` // its session begins
}

// callOf returns a notice as the terminal shows it; its text is empty if the page shows it elsewhere.
func callOf(n journal.Notice) Call {
	c := Call{Step: n.Step, Who: strings.TrimSpace(string(n.Role) + " " + visible.OneLine(n.Reviewer, 60)), Time: n.Time.Local().Format("15:04:05"), Fresh: n.Kind == journal.SessionStart}
	switch n.Kind {
	case journal.SessionStart, journal.SessionTool, journal.SessionText, journal.SessionEnd, journal.CheckStart, journal.CheckEnd, journal.ReviewerEnd, journal.FixEnd, journal.StepNote:
		c.Text = visible.OneLine(strings.TrimSpace(terminal.Lines(n)), 300)
	}
	return c
}
