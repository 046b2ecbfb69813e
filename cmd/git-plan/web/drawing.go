package web

import (
	"slices"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Rail is the part of the graph beside a step: lines in lanes, as in git log --graph.
type Rail struct {
	Lane     int
	In, Over []int // lanes that end at the step, and lanes that pass it
	Out      bool  // its lane goes on to other steps
}

// order fills in Rail and Wide: the graph of the steps, drawn if it branches.
func (p *Page) order() {
	last, branches := map[string]int{}, false // last is the last step that needs a step
	for i, s := range p.Plan.Steps {
		for _, need := range s.Needs {
			last[need] = i
		}
		branches = branches || len(s.Needs) > 1 || i > 0 && !slices.Equal(s.Needs, []string{p.Plan.Steps[i-1].ID})
	}
	var lanes []string // the step where each lane begins; "" for a free lane
	for i := range p.Steps {
		s, r := &p.Steps[i].Is, &p.Steps[i].Rail
		for n, from := range lanes {
			if from != "" && slices.Contains(s.Needs, from) {
				r.In = append(r.In, n)
			}
			if from == "" || last[from] == i {
				lanes[n] = ""
			} else {
				r.Over = append(r.Over, n)
			}
		}
		if r.Lane = slices.Index(lanes, ""); r.Lane < 0 {
			r.Lane, lanes = len(lanes), append(lanes, "")
		}
		if r.Out = last[s.ID] > i; r.Out {
			lanes[r.Lane] = s.ID
		}
	}
	if p.Wide = 1; branches && len(last) > 0 && len(lanes) <= mostLanes {
		p.Wide = len(lanes)
	}
}

// Span is a piece of a step's timeline. Kind is the end of a session, or running, checks or waits.
type Span struct {
	Kind, Says string
	X, Width   float64 // percent of the drawing; Width is in seconds until place
}

// spent fills in Spans, in order, and returns the seconds of work: all but waits and what still runs.
func (s *Step) spent(events []journal.Event, now time.Time) (worked float64) {
	var began, waits time.Time
	var took time.Duration
	add := func(kind string, from, to time.Time) {
		d := to.Sub(from)
		if from.IsZero() || d <= 0 {
			return
		}
		s.Spans = append(s.Spans, Span{Kind: kind, Says: kind + " " + views.Seconds(int64(d/time.Second)), Width: d.Seconds()})
		if kind != "waits" && kind != "running" {
			worked += d.Seconds()
		}
	}
	for _, e := range events {
		if e.Kind != journal.Blocked {
			add("waits", waits, e.Time)
			waits = time.Time{}
		}
		switch took += e.Took; {
		case e.Kind == journal.Started:
			began, took = e.Time, 0
		case progress.EndsAttempt(e):
			kind := string(e.Kind)
			if e.Question || e.Kind == journal.Blocked { // a session that changed nothing is for a person, too
				kind = "asked"
			} else if e.Stopped {
				kind = "stopped"
			}
			if !began.IsZero() {
				add(kind, began, began.Add(took))
				add("checks", began.Add(took), e.Time)
			}
			began = time.Time{}
		}
		if e.Kind == journal.Blocked {
			waits = e.Time
		}
	}
	add("running", began, now)
	return worked
}

// folded is the width of a wait, or of a session at work, however long it is, in percent.
const folded = 4

// drawnWhole returns the most seconds of a step that are drawn to scale: 3 medians, so that one long step leaves room.
func drawnWhole(worked []float64) float64 {
	some := slices.DeleteFunc(slices.Sorted(slices.Values(worked)), func(w float64) bool { return w == 0 })
	if len(some) == 0 {
		return 0
	}
	return 3 * some[len(some)/2]
}

// place fills in X and Width of the spans; longest is in seconds, of the longest step.
func (s *Step) place(longest float64) {
	at, least := 0.0, min(3.5, 10/float64(max(1, len(s.Spans)))) // short spans are seen, and all of them fit
	for i := range s.Spans {
		p := &s.Spans[i]
		if p.X, p.Width = at, max(least, (90-5*folded)*p.Width/longest); p.Kind == "waits" || p.Kind == "running" {
			p.Width = folded
		}
		at += p.Width
	}
}
