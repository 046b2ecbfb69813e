package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
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

// hub holds what browsers are sent: that the plan changed, so that they read the page again, and what
// sessions do. While a browser listens, one goroutine follows the plan for all of them.
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

func (p position) String() string { return fmt.Sprintf("%d.%d", p.version, p.calls) }

// positionOf reads one; an invalid one is the beginning.
func positionOf(text string) (p position) {
	if n, _ := fmt.Sscanf(text, "%d.%d", &p.version, &p.calls); n != 2 {
		return position{}
	}
	return p
}

// news is the data of an event.
type news struct {
	Changed bool   `json:"changed,omitempty"` // the page must be read again
	Calls   []Call `json:"calls,omitempty"`
}

// since returns what a browser does not have yet, its position with that, and a channel that is
// closed when there is more.
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

// wake wakes all who wait; the caller has the lock.
func (h *hub) wake() {
	if h.more != nil {
		close(h.more)
		h.more = nil
	}
}

// changed notes that the plan changed, or who works on it.
func (h *hub) changed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	h.wake()
}

// call notes what a session does. The calls of the session before it at the same step are dropped.
func (h *hub) call(n journal.Notice) {
	c := callOf(n)
	if c.Text == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Fresh {
		h.calls = slices.DeleteFunc(h.calls, func(o Call) bool { return o.Step == c.Step && o.Who == c.Who })
	}
	if last := len(h.calls) - 1; last >= 0 && h.calls[last].Brief && h.calls[last].Step == c.Step {
		h.calls = h.calls[:last]
	}
	h.heard++
	c.N = h.heard
	h.calls = append(h.calls[max(0, len(h.calls)+1-mostCalls):], c)
	h.wake()
}

// stream writes server-sent events until the browser leaves. A slow browser is sent the newest
// state, not all that led to it.
func (s *Server) stream(until context.Context) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer s.streams.Add(-1)
		if s.streams.Add(1) > mostStreams {
			http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
			return
		}
		ended, leave := s.join(until)
		defer leave()
		at := positionOf(r.Header.Get("Last-Event-ID"))
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
		for {
			n, now, more := s.hub.since(at)
			if n.Changed || len(n.Calls) > 0 {
				data, err := json.Marshal(n)
				if err != nil || write("id: %s\ndata: %s\n\n", now, data) != nil {
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
			}
			select {
			case <-r.Context().Done():
				return
			case <-time.After(often):
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

// follow follows the plan until the context ends. It reports a change when it begins: one may have
// happened since the page was read.
func (s *Server) follow(ctx context.Context) {
	_ = s.Open(ctx, func(co *checkout.Checkout) error {
		if err := s.load(ctx, co); err != nil {
			return err
		}
		return journal.Follow(ctx, co.Repo, co.Doc.ID, journal.Following{
			Began: func(journal.Holder) { s.hub.changed() },
			Notice: func(n journal.Notice) {
				switch n.Kind {
				case journal.StepStart, journal.StepDone, journal.StepBlocked, journal.StepFailed, journal.ReviewRound, journal.ReviewEnd, journal.RunEnd, journal.SessionStart:
					s.hub.changed()
				}
				if n.Kind == journal.SessionStart && co.Config.AgentCommand(n.Agent) != "" {
					n.Text = saysLater
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

// Call is what a session at work does, or what is done for it, in one line. N counts them.
type Call struct {
	N     int    `json:"n"`
	Step  string `json:"step"` // "" for a review
	Who   string `json:"who"`
	Time  string `json:"time"`
	Text  string `json:"text"`
	Fresh bool   `json:"fresh,omitempty"` // its session begins
	Brief bool   `json:"brief,omitempty"` // it counts only until the next
}

// saysLater explains why nothing more is heard of some sessions while they are at work.
const saysLater = "a command of your own; what it prints is shown when it has ended"

// callOf returns a notice in one line; without a text it says nothing to a person.
func callOf(n journal.Notice) Call {
	c := Call{Step: n.Step, Who: string(n.Role), Time: n.Time.Local().Format("15:04:05")}
	if n.Reviewer != "" {
		c.Who += " " + visible.OneLine(n.Reviewer, 60)
	}
	switch n.Kind {
	case journal.SessionStart:
		c.Fresh = true
		if n.Command != "" { // the step's own, without an agent
			c.Who, n.Text = "run", n.Command
		}
		c.Text = strings.TrimSuffix("begins: "+n.Text, ": ")
	case journal.SessionTool:
		c.Text = terminal.Called(n)
	case journal.SessionText:
		c.Text = n.Reason
	case journal.SessionUsage:
		if n.Tokens != nil {
			c.Text, c.Brief = n.Tokens.String(), true
		}
	case journal.CheckStart:
		c.Text, c.Who, c.Brief = n.Command, "check", true
	case journal.CheckEnd:
		c.Text, c.Who = n.Command+": ended", "check"
		if n.ExitCode != nil {
			c.Text = n.Command + ": passed"
			if *n.ExitCode != 0 {
				c.Text = n.Command + ": failed"
			}
		}
	case journal.SessionEnd, journal.ReviewerEnd, journal.FixEnd, journal.StepNote, journal.StepLands:
		c.Text = n.Text
	}
	c.Text = visible.OneLine(c.Text, 300)
	return c
}
