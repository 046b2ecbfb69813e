package progress

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// sitting is how far apart two acts of a person may be for the time between
// them to count as acting; a longer gap is a break. It is a convention.
const sitting = 30 * time.Minute

// walker walks through the events of one plan.
type walker struct {
	*measure
	steps map[string]*stepHistory
	prev  *journal.Event
	// Of the last session that was not a review's: interventions count for it.
	role  agent.Role
	model string

	begun     bool     // a step was begun
	trying    string   // the step of the last attempt
	checked   []string // the steps whose work passed last, and of which nothing was heard since
	running   int      // attempts under way
	byHand    int      // steps that are open by next
	steppedIn bool     // a person stepped in since the last session
}

// stepHistory is what happened to one step so far.
type stepHistory struct {
	open    string         // by whom: agent or person; "" if it is not
	tried   bool           // by an agent
	waiting *journal.Event // the session of the attempt whose work waits to be committed
}

func (m *measure) past(events []journal.Event) {
	w := &walker{measure: m, steps: map[string]*stepHistory{}, prev: &journal.Event{}}
	for i := range events {
		e := &events[i]
		w.humanTime(e)
		if e.By == journal.ByPerson {
			w.person(e)
		} else {
			w.program(e)
		}
		w.prev = e
	}
	w.resume()
}

func (w *walker) step(id string) *stepHistory {
	s, ok := w.steps[id]
	if !ok {
		s = &stepHistory{}
		w.steps[id] = s
	}
	return s
}

// person counts what a person did. Before work has begun only answers are an intervention.
func (w *walker) person(e *journal.Event) {
	stepped := false
	switch e.Kind {
	case journal.Approved:
		w.approvals++
	case journal.Edited, journal.Undone, journal.Accepted, journal.Dismissed, journal.Answered:
		stepped = true
	case journal.Replanned:
		stepped = true
		if e.Agent != "" || len(e.Usage) > 0 {
			w.sessions(e, agent.Planner, true)
		}
	case journal.Started:
		stepped = w.takenOver(e.Step())
	case journal.Failed, journal.Done:
		for _, id := range e.Steps {
			stepped = w.endedByHand(id) || stepped
		}
	case journal.Blocked, journal.Skipped, journal.Reopened:
		stepped = len(e.Steps) > 0
	}
	if stepped && (w.begun || e.Answers > 0) {
		w.steppedIn = true
	}
}

// takenOver notes that a person opens a step to do it, and reports whether that is an
// intervention. It is none if no agent had tried the step: nothing was stuck.
func (w *walker) takenOver(id string) bool {
	s := w.step(id)
	if s.open == "" {
		s.open = journal.ByPerson
		w.byHand++
	}
	return s.tried
}

// endedByHand notes a step that a person did, gave back, or just ticked, and reports
// whether that is an intervention. It is none if taking the step over was one already.
func (w *walker) endedByHand(id string) bool {
	s := w.step(id)
	if s.open != journal.ByPerson {
		return true
	}
	s.open = ""
	w.byHand--
	return false
}

// resume counts what a person did before the session that begins.
func (w *walker) resume() {
	if w.steppedIn {
		w.in(w.role, w.model, func(row *Row) { row.Interventions.Total++ })
	}
	w.steppedIn = false
}

// humanTime adds the time since the previous event if it was a person's.
func (w *walker) humanTime(e *journal.Event) {
	if e.By != journal.ByPerson || w.prev.Time.IsZero() || e.Time.IsZero() {
		return
	}
	since := max(0, e.Time.Sub(w.prev.Time))
	switch {
	case w.byHand > 0, w.prev.By == journal.ByPerson && since <= sitting && w.running == 0:
		w.human.Acting += int64(since / time.Second)
	case w.prev.By == journal.ByAgent && w.running == 0:
		switch w.prev.Kind {
		case journal.Created, journal.Replanned, journal.Blocked, journal.Failed: // the others wait for no person
			w.human.Waiting += int64(since / time.Second)
		}
	}
}

// program counts an event that no person caused.
func (w *walker) program(e *journal.Event) {
	switch e.Kind {
	case journal.Created, journal.Replanned:
		if e.Agent != "" || len(e.Usage) > 0 {
			w.resume()
			w.sessions(e, agent.Planner, true)
		}
		w.steppedIn = w.steppedIn || e.Answers > 0
	case journal.Started:
		w.resume()
		w.begun, w.trying = true, e.Step()
		s := w.heard(e)
		s.waiting = nil
		if s.open == "" {
			s.open, s.tried = journal.ByAgent, true
			w.running++
		}
	case journal.Failed, journal.Done, journal.Checked:
		if len(e.Usage) > 0 {
			w.resume()
			if id := w.waits(e); id != "" {
				w.step(id).waiting = e
			}
			w.sessions(e, "", e.Kind != journal.Failed)
		}
		switch {
		case e.Step() == "": // only what sessions used
		case e.Kind == journal.Checked:
			w.heard(e)
			w.checked = append(w.checked, e.Step())
		default:
			w.heard(e)
			w.attempted(e)
		}
	case journal.Reviewed:
		w.reviewed(e)
	}
}

// heard returns the step of an event.
func (w *walker) heard(e *journal.Event) *stepHistory {
	w.checked = slices.DeleteFunc(w.checked, func(id string) bool { return id == e.Step() })
	return w.step(e.Step())
}

// waits returns the step whose work waits to be committed, in a clone say, if an event reports the
// session that did it. If the event does not say, it is one whose work passed its checks.
func (w *walker) waits(e *journal.Event) string {
	if e.Usage[0].Role != agent.Executor {
		return ""
	}
	if e.Step() != "" {
		return e.Step()
	}
	if slices.Contains(w.checked, w.trying) {
		return w.trying
	}
	return append(slices.Clone(w.checked), w.trying)[0]
}

// reviewed counts a review.
func (w *walker) reviewed(e *journal.Event) {
	w.steppedIn = w.steppedIn || e.Unstuck
	w.resume()
	productive := e.Reason != "incomplete"
	if len(e.Usage) > 0 {
		w.sessions(e, agent.Reviewer, productive)
	} else { // rules and commands judged
		w.in(agent.Reviewer, "", func(row *Row) { row.spend(e.Took, productive) })
	}
}

// attempted counts the end of an attempt. An attempt without a beginning, such as what
// a forked plan says is done, was not made here. A session that waited is counted already.
func (w *walker) attempted(e *journal.Event) {
	s, done := w.step(e.Step()), e.Kind == journal.Done
	switch waiting := s.waiting; {
	case waiting == nil && s.open != journal.ByAgent:
		return
	case waiting == nil:
		w.sessions(e, agent.Executor, done)
	case done:
		w.in(agent.Executor, waiting.Agent, func(row *Row) { row.Productive += int64(waiting.Took / time.Second) })
	}
	if s.open == journal.ByAgent {
		s.open = ""
		w.running--
	}
	if !e.Stopped { // otherwise it is run again
		s.waiting = nil
		w.in(agent.Executor, w.model, func(row *Row) {
			row.Attempts++
			if !done && !e.Question {
				row.Wasted++
			}
		})
	}
}

// sessions counts the sessions that ended with an event: the one of a role, or all that the event
// reports; without a role, the event is that of the first of them. What an interrupted session
// used is not known. The event has the time of the whole: other sessions in it have their own
// time, if they reported it, and the role has the rest, so that the times add up. The role's
// model has that time if the role had only one.
func (w *walker) sessions(e *journal.Event, role agent.Role, productive bool) {
	held, known := e.Usage, true
	if len(held) == 0 {
		held, known = []journal.RoleUsage{{Role: role, Agent: e.Agent, Sessions: 1, Tokens: e.Tokens, Cost: e.Cost}}, e.Agent != ""
	}
	first := held[0]
	role = cmp.Or(role, first.Role)
	if role != agent.Reviewer { // what a person does after a review is about the work that it judged
		w.role, w.model = role, cmp.Or(first.Agent, "unknown")
	}
	ownTime := func(h journal.RoleUsage) bool { return h.Role != role && h.Took > 0 }
	rest, left := slices.DeleteFunc(slices.Clone(held), ownTime), e.Took.Truncate(time.Second)
	model := ""
	if len(rest) > 0 && !slices.ContainsFunc(rest, func(h journal.RoleUsage) bool { return h.Agent != rest[0].Agent }) {
		model = cmp.Or(rest[0].Agent, "unknown")
	}
	for _, h := range held {
		own, took := cmp.Or(h.Agent, "unknown"), time.Duration(0)
		if ownTime(h) {
			took = min(h.Took.Truncate(time.Second), left)
		}
		left -= took
		w.in(h.Role, own, func(row *Row) {
			row.use(h.Sessions, h.Tokens, h.Cost, known)
			row.spend(took, productive)
			if e.Took == 0 {
				row.Untimed += h.Sessions
			}
		})
		if e.Took == 0 || ownTime(h) {
			continue
		}
		if h.Role != role {
			w.roles.of(string(h.Role)).Untimed += h.Sessions
		}
		if model == "" {
			w.models.of(own).Untimed += h.Sessions
		}
	}
	w.in(role, model, func(row *Row) { row.spend(left, productive) })
}
