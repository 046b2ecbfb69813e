package web

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// Span is a part of the time a plan took: a session with its checks, a review, or what lay between,
// in which it waited for a person or for whoever began the next command.
type Span struct {
	Kind          string // work, failed, review, waiting
	Name          string
	Left, Percent float64 // of the whole time
	Took          string
}

// timeline returns what a plan's time went into. Long histories show their end.
func timeline(events []journal.Event) (out []Span) {
	type raw struct {
		kind, name string
		from, to   time.Time
	}
	var all []raw
	begun := map[string]time.Time{}
	var last time.Time
	for _, e := range events {
		step := e.Step()
		switch {
		case e.Kind == journal.Started:
			if len(begun) == 0 && !last.IsZero() && e.Time.Sub(last) > time.Second {
				all = append(all, raw{"waiting", "waiting", last, e.Time})
			}
			begun[step] = e.Time
		case (e.Kind == journal.Done || e.Kind == journal.Failed) && !begun[step].IsZero():
			kind := "work"
			if e.Kind == journal.Failed {
				kind = "failed"
			}
			all = append(all, raw{kind, step, begun[step], e.Time})
			delete(begun, step)
		case e.Kind == journal.Reviewed && e.Took > 0:
			all = append(all, raw{"review", "review", e.Time.Add(-e.Took), e.Time})
		}
		last = e.Time
	}
	all = all[max(0, len(all)-mostSpans):]
	if len(all) == 0 {
		return nil
	}
	from, to := all[0].from, all[0].to
	for _, r := range all {
		if r.from.Before(from) {
			from = r.from
		}
		if r.to.After(to) {
			to = r.to
		}
	}
	whole := max(to.Sub(from).Seconds(), 1)
	for _, r := range all {
		out = append(out, Span{Kind: r.kind, Name: line(r.name), Left: 100 * r.from.Sub(from).Seconds() / whole,
			Percent: max(0.3, 100*r.to.Sub(r.from).Seconds()/whole), Took: r.to.Sub(r.from).Round(time.Second).String()})
	}
	return out
}
