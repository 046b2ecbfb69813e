package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// news is what a browser is sent.
type news struct {
	Changed bool  `json:"changed,omitempty"` // the page must be read again
	Call    *Call `json:"call,omitempty"`
}

// stream follows the plan for a browser, and writes server-sent events until it leaves, or stops reading them. The first
// is a change: one may have been missed since the page was read.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	defer s.streams.Add(-1)
	if s.streams.Add(1) > mostStreams {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	ctx, end := context.WithCancel(r.Context())
	defer end()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(n news) {
		text, _ := json.Marshal(n) // never fails
		_ = flush.SetWriteDeadline(time.Now().Add(s.patience()))
		fmt.Fprintf(w, "data: %s\n\n", text)
		if flush.Flush() != nil {
			end()
		}
	}
	_ = flush.Flush() // a browser that has the head knows that the server is there
	changed := func() { send(news{Changed: true}) }
	heard := 0
	_ = s.Open(ctx, func(co *checkout.Checkout) error {
		id, _ := co.PlanID(ctx) // not all of the plan, for as long as a page is open
		return journal.Follow(ctx, co.Repo, id, journal.Following{
			Began: func(journal.Holder) { changed() },
			Notice: func(n journal.Notice) {
				switch n.Kind {
				case journal.StepStart, journal.StepDone, journal.StepBlocked, journal.StepFailed, journal.ReviewRound,
					journal.ReviewEnd, journal.RunEnd, journal.SessionStart:
					changed()
				}
				if c := callOf(n); c.Text != "" {
					heard++
					c.N = heard
					send(news{Call: &c})
				}
			},
			Ended:   changed,
			Changed: func(bool) error { changed(); return ctx.Err() },
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
	c := Call{Step: n.Step, Who: strings.TrimSpace(string(n.Role) + " " + visible.OneLine(n.Reviewer, 60)),
		Time: n.Time.Local().Format("15:04:05"), Fresh: n.Kind == journal.SessionStart}
	switch n.Kind {
	case journal.SessionStart, journal.SessionTool, journal.SessionText, journal.SessionEnd, journal.CheckStart,
		journal.CheckEnd, journal.ReviewerEnd, journal.FixEnd, journal.StepNote:
		c.Text = visible.OneLine(strings.TrimSpace(terminal.Lines(n)), 300)
	}
	return c
}
