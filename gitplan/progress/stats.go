package progress

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Stats is the time, tokens and cost of work on plans, and how often a person stepped in; gitplan-statistics(7) defines
// each number.
type Stats struct {
	Schema    int   `json:"schema"`
	Total     Row   `json:"total"`
	Roles     []Row `json:"roles"`
	Models    []Row `json:"models"`
	Plans     []Row `json:"plans"`
	Months    []Row `json:"months"`
	Steps     []Row `json:"steps"`
	Approvals int   `json:"approvals"`
	Human     Human `json:"human"`
}

// Human is the time of people in seconds: how long work waited for them, and how long they acted, at least.
type Human struct {
	Waiting int64 `json:"waitingSeconds"`
	Acting  int64 `json:"actingSeconds"`
}

// between adds the time between two events that follow each other.
func (h *Human) between(last, e *journal.Event) {
	const pause = 30 * time.Minute // the longest time between two acts of a person that counts as acting
	seconds, byHand := int64(e.Time.Sub(last.Time)/time.Second), last.By == journal.ByPerson
	switch {
	case e.By != journal.ByPerson || seconds < 0:
	case byHand && (last.Kind == journal.Started || seconds <= int64(pause/time.Second)):
		h.Acting += seconds
	case last.Kind != journal.Started: // after started the agent was at work
		h.Waiting += seconds
	}
}

// Row is one line of the statistics. Times are in seconds.
type Row struct {
	Name          string       `json:"name"`
	Plan          string       `json:"plan,omitempty"` // the plan of a step; else ""
	Sessions      int          `json:"sessions"`
	Seconds       int64        `json:"seconds"`
	Productive    int64        `json:"productiveSeconds"`
	Untimed       int          `json:"untimedSessions"` // the sessions of unknown duration, which Seconds lacks
	Tokens        agent.Tokens `json:"tokens"`
	UnknownTokens int          `json:"sessionsOfUnknownTokens"`
	CostUSD       *float64     `json:"costUSD"` // nil if nothing is known
	UnknownCost   int          `json:"sessionsOfUnknownCost"`
	Attempts      int          `json:"attempts"`
	Wasted        int          `json:"wastedAttempts"`
	WastedTokens  int64        `json:"wastedTokens"` // the tokens of sessions whose work was not kept
	Interventions struct {     // how often a person stepped in
		Total int `json:"total"`
	} `json:"interventions"`
	Mean *int64 `json:"meanSecondsBetweenInterventions"` // nil without an intervention
}

// Measure computes the statistics of plans from their events.
func Measure(plans []PlanEvents) Stats {
	s := Stats{Schema: 1, Roles: []Row{}, Models: []Row{}, Plans: []Row{}, Months: []Row{}, Steps: []Row{}}
	for _, p := range plans {
		s.Plans = append(s.Plans, Row{Name: p.Plan})
		m := measure{Stats: &s, steps: map[string]*stepHistory{}}
		for i := range p.Events {
			if i > 0 {
				s.Human.between(&p.Events[i-1], &p.Events[i])
			}
			if e := &p.Events[i]; e.By == journal.ByPerson {
				m.person(e)
			} else {
				m.program(e)
			}
		}
		m.intervention()
	}
	slices.SortFunc(s.Months, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	s.Total.finish()
	for _, rows := range [][]Row{s.Roles, s.Models, s.Plans, s.Months, s.Steps} {
		for i := range rows {
			rows[i].finish()
		}
	}
	return s
}

// measure adds the events of one plan to the statistics.
type measure struct {
	*Stats
	steps map[string]*stepHistory
	last  place // the place of the last session, reviews aside, for which interventions count

	begun     bool           // a step was started
	steppedIn *journal.Event // the intervention of a person since the last session, or nil
}

// place is the rows in which something counts, besides the total.
type place struct {
	role        agent.Role
	model, step string
}

// stepHistory is what happened to one step so far.
type stepHistory struct {
	open   bool // an attempt of an agent has started, and not ended
	tried  bool // an agent has tried the step
	passed bool // the attempt passed its checks: its session is reported already if its end reports none
	byHand bool // a person has opened it
	row    int  // the number of its row in Steps, from 1; 0 without a row
}

func (m *measure) step(id string) *stepHistory {
	m.steps[id] = cmp.Or(m.steps[id], &stepHistory{})
	return m.steps[id]
}

// person counts what a person did. Before work has begun only answers are an intervention.
func (m *measure) person(e *journal.Event) {
	steppedIn := false
	switch e.Kind {
	case journal.Approved:
		m.Approvals++
	case journal.Edited, journal.Undone, journal.Accepted, journal.Dismissed, journal.Answered, journal.Replanned:
		steppedIn = true
	case journal.Started: // git plan next: no intervention if no agent has tried the step
		s := m.step(e.Step())
		s.byHand, steppedIn = true, s.tried
	case journal.Failed, journal.Done:
		for _, id := range e.Steps {
			s := m.step(id)
			steppedIn = steppedIn || !s.byHand
			s.byHand = false
		}
	case journal.Blocked, journal.Skipped, journal.Reopened:
		steppedIn = len(e.Steps) > 0
	}
	if e.Kind == journal.Replanned && (e.Agent != "" || len(e.Usage) > 0) {
		m.sessions(e, agent.Planner, true)
	}
	m.stepsIn(e, steppedIn && (m.begun || e.Answers > 0))
}

// stepsIn notes that a person stepped in, by the first event that names a step.
func (m *measure) stepsIn(e *journal.Event, does bool) {
	if does && (m.steppedIn == nil || m.steppedIn.Step() == "") {
		m.steppedIn = e
	}
}

// program counts an event that no person caused.
func (m *measure) program(e *journal.Event) {
	switch e.Kind {
	case journal.Created, journal.Replanned, journal.Planned:
		if e.Agent != "" || len(e.Usage) > 0 {
			m.intervention()
			m.sessions(e, agent.Planner, true)
		}
		m.stepsIn(e, e.Answers > 0)
	case journal.Started:
		m.intervention()
		m.begun = true
		s := m.step(e.Step())
		s.open, s.tried, s.passed = true, true, false
	case journal.Failed, journal.Done, journal.Checked, journal.Blocked:
		m.attempt(e)
	case journal.Reviewed:
		m.stepsIn(e, e.Unstuck)
		m.intervention()
		if len(e.Usage) > 0 {
			m.sessions(e, agent.Reviewer, e.Reason != "incomplete")
		}
	}
}

// intervention counts what a person did before the session that begins.
func (m *measure) intervention() {
	if e := m.steppedIn; e != nil {
		m.in(e, place{m.last.role, m.last.model, cmp.Or(e.Step(), m.last.step)}, func(row *Row) { row.Interventions.Total++ })
	}
	m.steppedIn = nil
}

// attempt counts the sessions of an event, and the attempt if the event ends one that began in this plan.
func (m *measure) attempt(e *journal.Event) {
	s, done := m.step(e.Step()), e.Kind == journal.Done
	kept := e.Kind != journal.Failed || e.Stopped || e.Question // the next attempt goes on
	switch {
	case len(e.Usage) > 0:
		m.intervention()
		m.sessions(e, e.Usage[0].Role, kept)
	case e.Kind == journal.Checked, !s.open:
	case e.Agent != "" || !s.passed:
		m.sessions(e, agent.Executor, kept)
	}
	switch {
	case e.Step() == "":
	case e.Kind == journal.Checked:
		s.passed = true
	case s.open && !e.Stopped: // otherwise it is run again
		s.open = false
		m.in(e, place{agent.Executor, m.last.model, e.Step()}, func(row *Row) {
			if e.Question { // asking a question is no attempt
				return
			}
			if row.Attempts++; !done {
				row.Wasted++
			}
		})
	}
}

// sessions counts the sessions that an event reports; without Usage it is one of the role.
func (m *measure) sessions(e *journal.Event, role agent.Role, productive bool) {
	used, known := slices.Clone(e.Usage), true
	if len(used) == 0 {
		used, known = []journal.RoleUsage{{Role: role, Agent: e.Agent, Sessions: 1, Tokens: e.Tokens, Cost: e.Cost}}, e.Agent != ""
	}
	if len(used) == 1 {
		used[0].Took = e.Took
	}
	if role != agent.Reviewer { // an intervention after a review concerns the work that was reviewed
		m.last = place{role, cmp.Or(used[0].Agent, "unknown"), e.Step()}
	}
	for _, u := range used {
		m.in(e, place{u.Role, cmp.Or(u.Agent, "unknown"), e.Step()}, func(row *Row) { row.add(u, known, productive) })
	}
}

// in calls do for each row in which an event counts: the total, the month's, its role's and its model's.
func (m *measure) in(e *journal.Event, p place, do func(*Row)) {
	do(&m.Total)
	do(rowOf(&m.Roles, string(p.role)))
	do(rowOf(&m.Models, p.model))
	do(rowOf(&m.Months, e.Time.Format("2006-01")))
	do(&m.Plans[len(m.Plans)-1])
	if s := m.step(p.step); p.step != "" {
		if s.row == 0 {
			m.Steps = append(m.Steps, Row{Name: p.step, Plan: m.Plans[len(m.Plans)-1].Name})
			s.row = len(m.Steps)
		}
		do(&m.Steps[s.row-1])
	}
}

// rowOf returns the row of a name; the pointer is valid until the next row is added.
func rowOf(rows *[]Row, name string) *Row {
	i := slices.IndexFunc(*rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		i = len(*rows)
		*rows = append(*rows, Row{Name: name})
	}
	return &(*rows)[i]
}

func (r *Row) add(u journal.RoleUsage, known, productive bool) {
	if u.Agent == "run" { // the command of a step
		u.Sessions = 0
	}
	r.Sessions += u.Sessions
	r.Tokens = r.Tokens.Add(u.Tokens)
	if !known || u.Tokens.Unreported > 0 {
		r.UnknownTokens += u.Sessions
	}
	switch {
	case u.Cost.Known:
		if r.CostUSD != nil {
			u.Cost.USD += *r.CostUSD
		}
		r.CostUSD = journal.Dollars(u.Cost)
	case !known || u.Tokens != agent.Tokens{}:
		r.UnknownCost += u.Sessions
	}
	seconds := int64(u.Took / time.Second)
	r.Seconds += seconds
	if productive {
		r.Productive += seconds
	} else {
		r.WastedTokens += u.Tokens.In + u.Tokens.Out
	}
	if u.Took == 0 {
		r.Untimed += u.Sessions
	}
}

func (r *Row) finish() {
	if r.Interventions.Total > 0 {
		mean := r.Productive / int64(r.Interventions.Total)
		r.Mean = &mean
	}
	if r.CostUSD == nil && r.UnknownCost == 0 {
		r.CostUSD = new(float64)
	}
}
