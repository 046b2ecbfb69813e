package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Now is what a browser hears while something goes on: what is at work, and its last action.
type Now struct {
	Step string `json:"step"` // "" for a review
	Text string `json:"text"`
}

// live writes server-sent events until the browser leaves: "changed" if the page has to be asked
// for again, "now" with what goes on. A slow browser hears the newest, not all: what a session does
// is written at most every tenth of a second.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	defer s.streams.Add(-1)
	if s.streams.Add(1) > mostStreams {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	ctx, end := context.WithCancel(r.Context())
	defer end()
	r = r.WithContext(ctx)
	s.with(w, r, func(co *checkout.Checkout) error {
		flush := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		var wrote time.Time
		send := func(event string, data any) {
			b, _ := json.Marshal(data)
			_ = flush.SetWriteDeadline(time.Now().Add(s.patience()))
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, b)
			if flush.Flush() != nil {
				end() // it reads no more
			}
		}
		return journal.Follow(r.Context(), co.Repo, co.Doc.ID, journal.Following{
			Began: func(journal.Holder) { send("changed", "") },
			Notice: func(n journal.Notice) {
				switch n.Kind {
				case journal.StepStart, journal.StepDone, journal.StepBlocked, journal.StepFailed, journal.ReviewRound, journal.ReviewEnd, journal.RunEnd:
					send("changed", "")
					return
				case journal.SessionText, journal.SessionTool, journal.SessionUsage:
					if time.Since(wrote) < 100*time.Millisecond {
						return
					}
					wrote = time.Now()
				}
				if said := says(n); said != "" {
					send("now", Now{Step: n.Step, Text: said})
				}
			},
			Ended:   func(bool) { send("changed", "") },
			Changed: func(bool) error { send("changed", ""); return r.Context().Err() },
		})
	})
}

// says returns a notice in one line; "" if it says nothing to a person.
func says(n journal.Notice) string {
	who := string(n.Role)
	if n.Reviewer != "" {
		who += " " + n.Reviewer
	}
	text := ""
	switch n.Kind {
	case journal.SessionStart:
		text = who + " begins"
	case journal.SessionTool, journal.SessionEnd:
		text = who + ": " + n.Text
	case journal.SessionText:
		text = who + ": " + n.Reason
	case journal.SessionUsage:
		if n.Tokens == nil {
			return ""
		}
		text = who + ": " + n.Tokens.String()
	case journal.CheckStart:
		text = "check: " + n.Command
	case journal.CheckEnd:
		text = "check ended: " + n.Command
	case journal.ReviewerEnd, journal.FixEnd, journal.StepNote, journal.StepLands:
		text = n.Text
	}
	return visible.OneLine(text, 300)
}
