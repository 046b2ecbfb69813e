package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Timeline is what a plan's time went into, and what it used, in rows that have one axis: that of time.
// Positions are in percent of it.
type Timeline struct {
	From, To string
	Lanes    []Lane
}

// Lane is a row: spans of time, moments, or a sum that grows.
type Lane struct {
	Kind, Name string
	Sum        string // of all of it
	Spans      []Span
	Area       string // a path of SVG, 10 high
}

// Span is a part of the time.
type Span struct{ Left, Percent float64 }

// period is a span before it is placed; one without a length is a moment.
type period struct {
	lane     string
	from, to time.Time
}

// lanes are the rows, in their order, with what people read of them.
var lanes = []struct{ kind, name string }{
	{"session", "sessions"}, {"failed", "sessions that failed"}, {"check", "checks"}, {"review", "review"},
	{"people", "people acted"}, {"asked", "waited for people"}, {"waiting", "nobody worked"},
}

// timeline returns nil if no session has begun. stepped are the times of interventions.
func timeline(events []journal.Event, stepped []time.Time) *Timeline {
	all := periods(events)
	if len(all) == 0 {
		return nil
	}
	from, to := all[0].from, all[0].to
	for _, p := range all {
		if p.from.Before(from) {
			from = p.from
		}
		if p.to.After(to) {
			to = p.to
		}
	}
	at := func(t time.Time) float64 { return 100 * t.Sub(from).Seconds() / max(to.Sub(from).Seconds(), 1) }
	out := &Timeline{From: clock(from), To: clock(to)}
	for _, l := range lanes {
		if lane, any := laneOf(l.kind, l.name, all, at); any {
			out.Lanes = append(out.Lanes, lane)
		}
	}
	out.Lanes = append(out.Lanes, grown(events, at)...)
	if n := len(stepped); n > 0 {
		moments := make([]moment, n)
		for i, t := range stepped {
			moments[i] = moment{t, 1}
		}
		out.Lanes = append(out.Lanes, Lane{Kind: "people", Name: "interventions", Sum: fmt.Sprint(n), Area: area(moments, at)})
	}
	return out
}

// laneOf draws the periods of a lane. Those that nobody could see apart are one.
func laneOf(kind, name string, all []period, at func(time.Time) float64) (l Lane, any bool) {
	const seen = 0.1 // percent
	l = Lane{Kind: kind, Name: name}
	var sum time.Duration
	n := 0
	for _, p := range all {
		if p.lane != kind {
			continue
		}
		n, sum = n+1, sum+p.to.Sub(p.from)
		left := min(at(p.from), 99.6)
		right := max(at(p.to), left+0.4)
		if last := len(l.Spans) - 1; last >= 0 && left-(l.Spans[last].Left+l.Spans[last].Percent) < seen && left >= l.Spans[last].Left {
			l.Spans[last].Percent = max(l.Spans[last].Percent, right-l.Spans[last].Left)
			continue
		}
		l.Spans = append(l.Spans, Span{left, right - left})
	}
	l.Sum = fmt.Sprint(n)
	if kind != "people" {
		l.Sum += ", " + views.Seconds(int64(sum.Seconds()))
	}
	return l, n > 0
}

// periods returns what each part of the time went into. Between two of them the work waited: for a
// person, if the next thing is what one does, or for whoever began the next command.
func periods(events []journal.Event) (all []period) {
	begun := map[string]time.Time{}
	var last time.Time // something was under way, or happened
	working := false
	for i := range events {
		e := &events[i]
		from := e.Time
		if e.Kind == journal.Reviewed {
			from = e.Time.Add(-e.Took)
		}
		if len(begun) == 0 && working && from.Sub(last) > time.Second {
			lane := "waiting"
			if e.By == journal.ByPerson {
				lane = "asked"
			}
			all = append(all, period{lane, last, from})
		}
		switch step := e.Step(); {
		case e.By == journal.ByPerson && (working || e.Kind == journal.Approved):
			all = append(all, period{"people", e.Time, e.Time})
		case e.Kind == journal.Started:
			begun[step], working = e.Time, true
		case e.Kind == journal.Done || e.Kind == journal.Failed:
			if since, ok := begun[step]; ok {
				all = append(all, attempt(e, since)...)
				delete(begun, step)
			}
		case e.Kind == journal.Reviewed && e.Took > 0:
			all = append(all, period{"review", from, e.Time})
		}
		last = e.Time
	}
	if !working {
		return nil
	}
	return all
}

// attempt splits the time of an attempt into that of its session, which is known, and that of its checks.
func attempt(e *journal.Event, since time.Time) []period {
	lane := "session"
	if e.Kind == journal.Failed {
		lane = "failed"
	}
	end := since.Add(e.Took)
	if e.Took == 0 || end.After(e.Time) || e.Time.Sub(end) < time.Second {
		return []period{{lane, since, e.Time}}
	}
	return []period{{lane, since, end}, {"check", end, e.Time}}
}

// moment is when so much was added to a sum.
type moment struct {
	time time.Time
	n    float64
}

// grown returns how tokens and cost grew, as far as they are known.
func grown(events []journal.Event, at func(time.Time) float64) (out []Lane) {
	tokens := func(e *journal.Event) float64 { return float64(e.Tokens.In + e.Tokens.Out) }
	cost := func(e *journal.Event) float64 { return e.Cost.USD }
	for _, l := range []struct {
		kind, name, form string
		of               func(*journal.Event) float64
	}{{"tokens", "tokens", "%.0f", tokens}, {"cost", "cost, as far as it is known", "%.2f USD", cost}} {
		sum, moments := 0.0, []moment(nil)
		for i := range events {
			if n := l.of(&events[i]); n > 0 {
				sum, moments = sum+n, append(moments, moment{events[i].Time, n})
			}
		}
		if sum > 0 {
			out = append(out, Lane{Kind: l.kind, Name: l.name, Sum: fmt.Sprintf(l.form, sum), Area: area(moments, at)})
		}
	}
	return out
}

// area returns the path below a sum that grows.
func area(moments []moment, at func(time.Time) float64) string {
	var b strings.Builder
	b.WriteString("M0 10")
	all := 0.0
	for _, m := range moments {
		all += m.n
	}
	sum, drawn := 0.0, -1.0
	for i, m := range moments {
		sum += m.n
		x := min(max(at(m.time), 0), 99.6) // the last is seen, too
		if x-drawn < 0.2 && i < len(moments)-1 {
			continue // nobody sees it
		}
		fmt.Fprintf(&b, "H%.1fV%.2f", x, 10-10*sum/all)
		drawn = x
	}
	b.WriteString("H100V10Z")
	return b.String()
}
