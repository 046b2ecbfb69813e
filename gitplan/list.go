package gitplan

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Listed is a plan as far as the last event on its chain tells: no plan is read
// for it.
type Listed struct {
	ID, Branch  string
	Done, Total int    // as the plan's text counts them
	State       string // open, done, blocked or running
	Subject     string
	Time        time.Time // of the event
}

// List returns the plans of the repository, by one git process however many
// there are.
func (s *Store) List(ctx context.Context) ([]Listed, error) {
	refs, err := s.repo.Refs(ctx, refPrefix)
	var out []Listed
	for _, r := range refs {
		l := listed(r.Subject)
		l.ID, l.Subject, l.Time = strings.TrimPrefix(r.Name, refPrefix), r.Subject, r.Time
		if _, working := Working(s.repo, l.ID); working {
			l.State = "running"
		}
		out = append(out, l)
	}
	return out, err
}

// listed reads the subject that an event's message has: branch, progress and
// what happened (see [Event]). What does not have this form tells nothing.
func listed(subject string) Listed {
	l := Listed{Branch: "?", State: "open"}
	branch, rest, _ := strings.Cut(subject, " ")
	progress, what, _ := strings.Cut(rest, " ")
	done, total, ok := strings.Cut(progress, "/")
	d, err := strconv.Atoi(done)
	t, err2 := strconv.Atoi(total)
	if !ok || err != nil || err2 != nil || d < 0 || d > t {
		return l
	}
	l.Branch, l.Done, l.Total = branch, d, t
	switch {
	case strings.HasSuffix(what, ": "+string(BlockedBy)):
		l.State = "blocked"
	case t > 0 && d == t:
		l.State = "done"
	}
	return l
}
