package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// often is how often a browser is sent something at most.
const often = 50 * time.Millisecond

// live writes server-sent events until the browser leaves: what is newer than what it has, which the
// page that it shows says, and after a break the last event that it got. A slow browser is sent the
// newest, not all.
func (s *Server) live(until context.Context) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer s.streams.Add(-1)
		if s.streams.Add(1) > mostStreams {
			http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
			return
		}
		ended, leave := s.join(until)
		defer leave()
		at := positionOf(r.URL.Query().Get("since"))
		if last := r.Header.Get("Last-Event-ID"); last != "" {
			at = positionOf(last)
		}
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
			n, now, more, err := s.watch.since(at, s.acts(r))
			if err != nil {
				return
			}
			if !n.empty() {
				if write("id: %s\ndata: %s\n\n", now, n) != nil {
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

// follow follows the plan until the context ends: each event is noted at once, whatever the plan's size;
// what became of the plan is read again, at most a quarter of the time.
func (s *Server) follow(ctx context.Context) {
	changed := make(chan struct{}, 1)
	poke := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	go s.keep(ctx, changed)
	_ = s.Open(ctx, func(co *checkout.Checkout) error {
		if err := s.load(ctx, co); err != nil {
			return err
		}
		s.watch.noteEvents(co)
		return journal.Follow(ctx, co.Repo, co.Doc.ID, journal.Following{
			Began: func(journal.Holder) { poke() },
			Notice: func(n journal.Notice) {
				switch n.Kind {
				case journal.StepStart, journal.StepDone, journal.StepBlocked, journal.StepFailed, journal.ReviewRound, journal.ReviewEnd, journal.RunEnd, journal.SessionStart:
					poke()
				}
				if n.Kind == journal.SessionStart && co.Config.AgentCommand(n.Agent) != "" {
					n.Text = saysLater
				}
				s.watch.call(n)
			},
			Ended: func(bool) { poke() },
			Changed: func(bool) error {
				if doc, err := co.Store.Newer(ctx, co.Doc); err == nil {
					co.Doc = doc
					s.watch.noteEvents(co)
				}
				poke()
				return ctx.Err()
			},
		})
	})
}

// keep reads the plan again when it has changed.
func (s *Server) keep(ctx context.Context, changed <-chan struct{}) {
	const pause = 100 * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		began := time.Now()
		_ = s.Open(ctx, func(co *checkout.Checkout) error {
			_, _, err := s.readPage(ctx, co)
			return err
		})
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(pause, 3*time.Since(began))):
		}
	}
}

// join has the plan followed, if nobody watched until now. The channel is closed when that ends.
func (s *Server) join(until context.Context) (ended <-chan struct{}, leave func()) {
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watchers++; w.watchers == 1 {
		ctx, end := context.WithCancel(until)
		done := make(chan struct{})
		w.end, w.ended, w.calls = end, done, nil
		go func() {
			defer close(done)
			s.follow(ctx)
		}()
	}
	return w.ended, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.watchers--; w.watchers == 0 {
			w.end()
		}
	}
}
