package progress

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// program takes an event that no person caused.
func (r *reader) program(e journal.Event) {
	switch e.Kind {
	case journal.Created, journal.Replanned:
		if e.Agent != "" || len(e.Held) > 0 {
			r.resume()
			r.sessions(e, agent.Planner, true)
		}
		if e.Answers > 0 {
			r.stop, r.at = answer, e
		}
		r.anew(e)
	case journal.Started:
		r.resume()
		r.begun, r.trying = true, e.Step()
		s := r.step(e.Step())
		s.told = nil
		if s.open == "" {
			s.open, s.started, s.tried = journal.ByAgent, e.Time, true
			r.running++
		}
	case journal.Failed, journal.Done, journal.Checked:
		switch {
		case len(e.Held) > 0: // at no step
			r.resume()
			if e.Held[0].Role == agent.Executor && r.trying != "" {
				r.waits(&e)
			}
			r.sessions(e, "", e.Kind != journal.Failed)
		case e.Kind != journal.Checked:
			r.attempted(e)
		}
	case journal.Blocked:
		for _, id := range e.Steps {
			r.settled(id, false, e.Question)
		}
	case journal.Reviewed:
		if e.Unstuck {
			r.steppedIn(unsticking, e)
		}
		r.resume()
		if len(e.Held) == 0 && e.Tokens != (agent.Tokens{}) { // of an older program
			e.Held = []journal.Held{{Role: agent.Reviewer, Sessions: 1, Tokens: e.Tokens, Cost: e.Cost}}
		}
		if len(e.Held) > 0 {
			r.sessions(e, agent.Reviewer, e.Reason != "incomplete")
		} else { // rules and commands judged
			r.in(r.here(e, agent.Reviewer, ""), func(row *Row) { row.spend(e.Took, e.Reason != "incomplete") })
		}
	}
}

// waits takes the event of a session at the step that was begun last, whose work could
// not be committed then: it waits in a clone, say. The attempt ends when it is.
func (r *reader) waits(e *journal.Event) {
	e.Steps = []string{r.trying}
	s := r.step(r.trying)
	s.told = e
	s.took(*e)
}

// took adds the time of a session at the step.
func (s *stepPast) took(e journal.Event) {
	s.seconds += int64(e.Took / time.Second)
	s.untimed = s.untimed || e.Took == 0
}

// attempted takes the end of an attempt. One that nobody saw begin, such as what
// a forked plan says is done, was none here. A session that was told of is counted.
func (r *reader) attempted(e journal.Event) {
	s := r.step(e.Step())
	done := e.Kind == journal.Done
	r.settled(e.Step(), done, false)
	switch told := s.told; {
	case told == nil && s.open != journal.ByAgent:
		return
	case told == nil:
		r.sessions(e, agent.Executor, done)
		s.took(e)
	case done:
		r.in(r.here(*told, agent.Executor, told.Agent), func(row *Row) { row.Productive += int64(told.Took / time.Second) })
	}
	if s.open == journal.ByAgent {
		s.open = ""
		r.running--
	}
	if !e.Stopped { // else it is held again
		s.told = nil
		r.in(r.here(e, agent.Executor, r.model), func(row *Row) {
			row.Attempts++
			if !done {
				row.Wasted++
			}
		})
	}
}

// sessions counts those that ended with an event: the one of a role, or all that it
// tells of; without a role the first of them is whose event it is. Of one that was
// interrupted nobody knows what it used. The event has the time of the whole: what
// others did in it has their own, where they told it, and the rest is that of the role,
// so that the times of all add up. Its model has it where the role had only one.
func (r *reader) sessions(e journal.Event, role agent.Role, productive bool) {
	held, known := e.Held, true
	if len(held) == 0 {
		held, known = []journal.Held{{Role: role, Agent: e.Agent, Sessions: 1, Tokens: e.Tokens, Cost: e.Cost}}, e.Agent != ""
	}
	first := held[0]
	role = cmp.Or(role, first.Role)
	if role != agent.Reviewer { // what a person does after a review is about the work that it judged
		r.role, r.model = role, cmp.Or(first.Agent, "unknown")
	}
	ownTime := func(h journal.Held) bool { return h.Role != role && h.Took > 0 }
	rest, left := slices.DeleteFunc(slices.Clone(held), ownTime), e.Took.Truncate(time.Second)
	model := ""
	if len(rest) > 0 && !slices.ContainsFunc(rest, func(h journal.Held) bool { return h.Agent != rest[0].Agent }) {
		model = cmp.Or(rest[0].Agent, "unknown")
	}
	for _, h := range held {
		own, took := cmp.Or(h.Agent, "unknown"), time.Duration(0)
		if ownTime(h) {
			took = min(h.Took.Truncate(time.Second), left)
		}
		left -= took
		r.in(r.here(e, h.Role, own), func(row *Row) {
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
			r.row(rowKey{by: "role", name: string(h.Role)}).Untimed += h.Sessions
		}
		if model == "" {
			r.row(rowKey{by: "model", name: own}).Untimed += h.Sessions
		}
	}
	r.in(r.here(e, role, model), func(row *Row) { row.spend(left, productive) })
}
