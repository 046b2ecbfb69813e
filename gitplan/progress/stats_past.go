package progress

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// sitting is how far apart two acts of a person may be for the time between
// them to count as acting; a longer gap is a break. It is a convention.
const sitting = 30 * time.Minute

// intervention is a kind of intervention; of several the greatest counts.
type intervention int

const (
	noIntervention intervention = iota
	retry
	correction
	unsticking
	answer
)

// reader walks through the events of one plan.
type reader struct {
	*measure
	past  Past
	steps map[string]*stepPast
	prev  journal.Event
	// Of the last session but a review's: whoever steps in does so after it.
	role  agent.Role
	model string

	begun   bool   // a step was
	trying  string // the step of the last attempt
	running int    // attempts under way
	byHand  int    // steps that are open by next

	stop   intervention  // what a person did since the last session
	at     journal.Event // the act that it is counted for
	asking int           // steps that a question blocks
}

// stepPast is what happened to one step so far.
type stepPast struct {
	started time.Time // of the attempt that is open
	open    string    // by whom: agent, person, or nobody
	tried   bool      // by an agent
	done    bool
	asks    bool           // blocked by a question
	told    *journal.Event // of the session of the attempt, where its work waits to be committed
	seconds int64
	untimed bool
}

func (m *measure) past(p Past) {
	m.row(rowKey{by: "plan", name: p.Plan})
	r := &reader{measure: m, past: p, steps: map[string]*stepPast{}}
	for _, e := range p.Events {
		r.humanTime(e)
		if e.By == journal.ByPerson {
			r.person(e)
		} else {
			r.program(e)
		}
		r.prev = e
	}
	r.resume()
	r.compare()
}

func (r *reader) step(id string) *stepPast {
	s, ok := r.steps[id]
	if !ok {
		s = &stepPast{}
		r.steps[id] = s
	}
	return s
}

// settled notes how a step stands now.
func (r *reader) settled(id string, done, asks bool) {
	s := r.step(id)
	if s.asks {
		r.asking--
	}
	if asks {
		r.asking++
	}
	s.done, s.asks = done, asks
}

func (r *reader) here(e journal.Event, role agent.Role, model string) counted {
	return counted{plan: r.past.Plan, step: e.Step(), role: role, model: model, when: e.Time}
}

// person takes what a person did.
func (r *reader) person(e journal.Event) {
	kind := noIntervention
	switch e.Kind {
	case journal.Approved:
		r.approvals++
	case journal.Edited:
		if kind = correction; r.asking > 0 {
			kind = answer
		}
	case journal.Replanned:
		if kind = unsticking; e.Answers > 0 {
			kind = answer
		}
		if e.Agent != "" || len(e.Held) > 0 {
			r.sessions(e, agent.Planner, true)
		}
		r.anew(e)
	case journal.Undone:
		kind = correction
		r.settled(e.Step(), false, false)
	case journal.Started:
		kind = r.takenOver(e)
	case journal.Failed, journal.Done:
		for _, id := range e.Steps {
			kind = max(kind, r.endedByHand(id, e))
		}
	case journal.Blocked, journal.Skipped, journal.Reopened:
		for _, id := range e.Steps {
			kind = max(kind, r.setByHand(id, e))
		}
	}
	if kind == noIntervention || !r.begun && e.Answers == 0 {
		return
	}
	steps := e.Steps
	if e.Step() == "" && r.stop > noIntervention { // an edit, and the step was opened again before
		steps = r.at.Steps
	}
	r.steppedIn(kind, e)
	if r.at.Step() == "" {
		r.at.Steps = steps
	}
}

// steppedIn notes what a person did since the last session, where nothing greater is.
func (r *reader) steppedIn(kind intervention, e journal.Event) {
	if kind > r.stop {
		r.stop, r.at = kind, e
	}
}

// takenOver is a person who opens a step to do it. Where no agent had tried it
// that was the plan, and nothing was stuck.
func (r *reader) takenOver(e journal.Event) intervention {
	s := r.step(e.Step())
	if s.open == "" {
		s.open, s.started = journal.ByPerson, e.Time
		r.byHand++
	}
	if s.tried {
		return unsticking
	}
	return noIntervention
}

// endedByHand is a step that a person did, gave back, or just ticked.
func (r *reader) endedByHand(id string, e journal.Event) intervention {
	s := r.step(id)
	r.settled(id, e.Kind == journal.Done, false)
	if s.open != journal.ByPerson {
		return unsticking
	}
	s.open = ""
	r.byHand--
	s.seconds += int64(max(0, e.Time.Sub(s.started)) / time.Second)
	return noIntervention
}

func (r *reader) setByHand(id string, e journal.Event) intervention {
	was := *r.step(id)
	r.settled(id, e.Kind == journal.Skipped, false)
	switch {
	case e.Kind != journal.Reopened:
		return unsticking
	case was.asks:
		return answer
	case was.done:
		return correction
	}
	return retry
}

// anew are the steps that begin anew with a new plan.
func (r *reader) anew(e journal.Event) {
	for _, id := range e.Steps {
		r.settled(id, false, false)
	}
}

// resume counts what a person did before the session that begins.
func (r *reader) resume() {
	kind := r.stop
	r.stop = noIntervention
	if kind == noIntervention {
		return
	}
	r.in(r.here(r.at, r.role, r.model), func(row *Row) {
		n := &row.Interventions
		n.Total++
		*map[intervention]*int{answer: &n.Answers, unsticking: &n.Unsticking, correction: &n.Corrections, retry: &n.Retries}[kind]++
	})
}

// humanTime adds the time since the event before where it was a person's.
func (r *reader) humanTime(e journal.Event) {
	if e.By != journal.ByPerson || r.prev.Time.IsZero() || e.Time.IsZero() {
		return
	}
	since := max(0, e.Time.Sub(r.prev.Time))
	switch {
	case r.byHand > 0, r.prev.By == journal.ByPerson && since <= sitting && r.running == 0:
		r.human.Acting += int64(since / time.Second)
	case r.prev.By == journal.ByAgent && r.running == 0:
		switch r.prev.Kind {
		case journal.Created, journal.Replanned, journal.Blocked, journal.Failed: // the others want nobody
			r.human.Waiting += int64(since / time.Second)
		}
	}
}

// compare adds the estimates of the steps that are done, and what they took.
func (r *reader) compare() {
	for i := range r.past.Steps {
		s := &r.past.Steps[i]
		minutes := plan.MinutesOf(s.Estimate)
		if h, ok := r.steps[s.ID]; ok && h.done && !h.untimed && h.seconds > 0 && minutes > 0 {
			r.estimates.Steps++
			r.estimates.Estimated += int64(minutes) * 60
			r.estimates.Actual += h.seconds
		}
	}
}
