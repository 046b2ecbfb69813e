package progress

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Stats is what work on plans took, and how often a person had to step in.
// Times are in seconds.
//
// The mean time between interventions is the time of productive sessions over
// the number of interventions. A session is productive if its work was kept:
// an attempt that ended in done, a planner's, those of a review that was not
// incomplete. What a person does between two sessions is one intervention,
// however many commands it takes: answering the questions of a planner, and once
// work has begun editing the plan or having it written again, undoing or reopening
// a step, skipping, blocking or ticking one by hand, taking over one that an agent
// had tried, or committing after a review that ended with open findings.
//
// An approval is not an intervention. Starting the same command again is none either:
// after a rate limit or a crash a loop does that.
type Stats struct {
	Schema    int   `json:"schema"`
	Total     Row   `json:"total"`
	Roles     []Row `json:"roles"`
	Models    []Row `json:"models"`
	Approvals int   `json:"approvals"`
	Human     Human `json:"human"`
}

// Row is one line of the statistics.
type Row struct {
	Name       string `json:"name"`
	Sessions   int    `json:"sessions"`
	Seconds    int64  `json:"seconds"`
	Productive int64  `json:"productiveSeconds"`
	// Untimed counts the sessions that took an unknown time, such as one that a
	// crash ended, or, in the row of each model, those of a review by several models;
	// Seconds is then a lower bound. The same holds for tokens and cost,
	// which many agents do not report.
	Untimed       int           `json:"untimedSessions"`
	Tokens        agent.Tokens  `json:"tokens"`
	UnknownTokens int           `json:"sessionsOfUnknownTokens"`
	CostUSD       *float64      `json:"costUSD"` // nil if none of it is known
	UnknownCost   int           `json:"sessionsOfUnknownCost"`
	Attempts      int           `json:"attempts"`
	Wasted        int           `json:"wastedAttempts"`
	Interventions Interventions `json:"interventions"`
	// Mean is the mean time between interventions; nil if there was none.
	Mean *int64 `json:"meanSecondsBetweenInterventions"`
}

// Interventions is how often a person stepped in.
type Interventions struct {
	Total int `json:"total"`
}

// Human is the time of people: how long work waited for them, from an agent's end to a
// person's next act if nothing else was under way, and how long they acted, at least.
type Human struct {
	Waiting int64 `json:"waitingSeconds"`
	Acting  int64 `json:"actingSeconds"`
}

// Measure computes the statistics of plans from what happened to them. It is
// linear in the number of events.
func Measure(plans []PlanEvents) Stats {
	m := &measure{}
	for _, p := range plans {
		m.past(p.Events)
	}
	m.total.settle()
	return Stats{Schema: 1, Total: m.total, Roles: m.roles.settled(), Models: m.models.settled(), Approvals: m.approvals, Human: m.human}
}

// measure holds the sums so far, over all plans.
type measure struct {
	total         Row
	roles, models rows
	approvals     int
	human         Human
}

// in calls do for every row in which a session counts; an empty role or model has no row.
func (m *measure) in(role agent.Role, model string, do func(*Row)) {
	do(&m.total)
	if role != "" {
		do(m.roles.of(string(role)))
	}
	if model != "" {
		do(m.models.of(model))
	}
}

// rows are rows with names, in the order in which those came up.
type rows struct {
	list []Row
	at   map[string]int
}

// of returns the row of a name; the pointer is valid until the next row is added.
func (r *rows) of(name string) *Row {
	i, ok := r.at[name]
	if !ok {
		if r.at == nil {
			r.at = map[string]int{}
		}
		i = len(r.list)
		r.at[name], r.list = i, append(r.list, Row{Name: name})
	}
	return &r.list[i]
}

// settled returns the rows with what follows from their sums, never nil.
func (r *rows) settled() []Row {
	for i := range r.list {
		r.list[i].settle()
	}
	return append([]Row{}, r.list...)
}

// settle computes what follows from the sums.
func (r *Row) settle() {
	if r.Interventions.Total > 0 {
		mean := r.Productive / int64(r.Interventions.Total)
		r.Mean = &mean
	}
	if r.CostUSD == nil && r.UnknownCost == 0 {
		r.CostUSD = new(float64)
	}
}

// use adds what n sessions used, if that is known.
func (r *Row) use(n int, tokens agent.Tokens, cost agent.Cost, known bool) {
	r.Sessions += n
	r.Tokens = r.Tokens.Add(tokens)
	if !known || tokens.Unreported > 0 {
		r.UnknownTokens += n
	}
	switch {
	case cost.Known:
		if r.CostUSD != nil {
			cost.USD += *r.CostUSD
		}
		r.CostUSD = journal.Dollars(cost)
	case !known || tokens != agent.Tokens{}:
		r.UnknownCost += n
	}
}

// spend adds the time of sessions.
func (r *Row) spend(took time.Duration, productive bool) {
	seconds := int64(took / time.Second)
	r.Seconds += seconds
	if productive {
		r.Productive += seconds
	}
}
