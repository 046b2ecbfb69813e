package progress

import (
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Past is what the statistics look at of one plan.
type Past struct {
	Plan, Branch, Title string
	Steps               []plan.Step     // of the plan as it is now; nil where its text cannot be read
	Events              []journal.Event // oldest first
}

// Stats is what work on plans took, and how often a person had to step in.
// Times are in seconds.
//
// The mean time between interventions is the time of productive sessions over
// the number of interventions. A session is productive when its work was kept:
// an attempt that ended in done, a planner's, those of a review that was not
// incomplete. What a person does between two sessions is one
// intervention however many commands it takes, of the first of these kinds that
// it is:
//
//	answer      the question that blocked a step was answered, or those of a
//	            planner, these also before work had begun
//	unsticking  a step was skipped, blocked, ticked or taken over by hand, or
//	            the plan was written anew, after work had begun; or a person
//	            committed after a review that ended with what nobody settled
//	correction  the plan was edited after work had begun, or a step that was
//	            done was undone or opened again
//	retry       a step that had failed was opened again as it is
//
// Approvals are none of them. Starting the same command again is none either:
// after a rate limit or a crash a loop does that.
type Stats struct {
	Schema    int       `json:"schema"`
	Total     Row       `json:"total"`
	Plans     []Row     `json:"plans"`
	Roles     []Row     `json:"roles"`
	Models    []Row     `json:"models"`
	Steps     []Row     `json:"steps"`
	Months    []Row     `json:"months"` // as the clock of whoever wrote the events had it
	Approvals int       `json:"approvals"`
	Human     Human     `json:"human"`
	Planning  Share     `json:"planning"`
	Estimates Estimated `json:"estimates"`
}

// Row is one line of the statistics.
type Row struct {
	Name       string `json:"name"`
	Plan       string `json:"plan,omitempty"` // of a step
	Sessions   int    `json:"sessions"`
	Seconds    int64  `json:"seconds"`
	Productive int64  `json:"productiveSeconds"`
	// Untimed are the sessions of which nobody knows how long they took, such as
	// one that a crash ended, or of a review by several models in the row of each;
	// Seconds is then what it was at least. The same holds for tokens and cost,
	// which many agents do not tell.
	Untimed       int           `json:"untimedSessions"`
	Tokens        agent.Tokens  `json:"tokens"`
	UnknownTokens int           `json:"sessionsOfUnknownTokens"`
	CostUSD       *float64      `json:"costUSD"` // nil where nobody knows any of it
	UnknownCost   int           `json:"sessionsOfUnknownCost"`
	Attempts      int           `json:"attempts"`
	Wasted        int           `json:"wastedAttempts"`
	Interventions Interventions `json:"interventions"`
	// Mean is the mean time between interventions; nil without one.
	Mean *int64 `json:"meanSecondsBetweenInterventions"`
}

// Interventions are counted by their kind.
type Interventions struct {
	Total       int `json:"total"`
	Answers     int `json:"answers"`
	Unsticking  int `json:"unsticking"`
	Corrections int `json:"corrections"`
	Retries     int `json:"retries"`
}

// Human is the time of people: waited for, from an agent's end to a person's
// next act where nothing else was under way, and seen to act, at least.
type Human struct {
	Waiting int64 `json:"waitingSeconds"`
	Acting  int64 `json:"actingSeconds"`
}

// Share is the planner's part of the whole, from 0 to 1; nil of nothing.
type Share struct {
	Time   *float64 `json:"timeShare"`
	Tokens *float64 `json:"tokensShare"`
}

// Estimated compares the field Estimate with what was needed, by sessions and by
// hand, over the done steps that have both.
type Estimated struct {
	Steps     int   `json:"steps"`
	Estimated int64 `json:"estimatedSeconds"`
	Actual    int64 `json:"actualSeconds"`
}

// Measure computes the statistics of plans from what happened to them. It is
// linear in the number of events.
func Measure(plans []Past) Stats {
	m := &measure{rows: map[rowKey]*Row{}}
	for _, p := range plans {
		m.past(p)
	}
	s := Stats{Schema: 1, Approvals: m.approvals, Human: m.human, Estimates: m.estimates}
	s.Total = *m.row(rowKey{by: "total"})
	for _, group := range []struct {
		by   string
		rows *[]Row
	}{{"plan", &s.Plans}, {"role", &s.Roles}, {"model", &s.Models}, {"step", &s.Steps}, {"month", &s.Months}} {
		*group.rows = m.group(group.by)
	}
	slices.SortFunc(s.Months, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	planner := m.row(rowKey{by: "role", name: string(agent.Planner)})
	s.Planning.Time = share(planner.Seconds, s.Total.Seconds)
	s.Planning.Tokens = share(planner.Tokens.In+planner.Tokens.Out, s.Total.Tokens.In+s.Total.Tokens.Out)
	s.Total.settle()
	return s
}

func share(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	f := float64(part) / float64(whole)
	return &f
}

// rowKey names a row: what it is by, the name, and of a step its plan.
type rowKey struct{ by, name, plan string }

type measure struct {
	rows      map[rowKey]*Row
	order     []rowKey // as they came up
	approvals int
	human     Human
	estimates Estimated
}

func (m *measure) row(k rowKey) *Row {
	r, ok := m.rows[k]
	if !ok {
		r = &Row{Name: k.name, Plan: k.plan}
		m.rows[k] = r
		m.order = append(m.order, k)
	}
	return r
}

// group are the rows of one kind that anything happened in.
func (m *measure) group(by string) []Row {
	out := []Row{}
	for _, k := range m.order {
		if k.by == by {
			r := *m.rows[k]
			r.settle()
			out = append(out, r)
		}
	}
	return out
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

// counted says in which rows something is counted.
type counted struct {
	plan, step, model string
	role              agent.Role
	when              time.Time
}

// in does something to every row where it counts.
func (m *measure) in(p counted, do func(*Row)) {
	keys := []rowKey{{by: "total"}, {by: "plan", name: p.plan}, {by: "month", name: p.when.Format("2006-01")}}
	if p.role != "" {
		keys = append(keys, rowKey{by: "role", name: string(p.role)})
	}
	if p.model != "" {
		keys = append(keys, rowKey{by: "model", name: p.model})
	}
	if p.step != "" {
		keys = append(keys, rowKey{by: "step", name: p.step, plan: p.plan})
	}
	for _, k := range keys {
		do(m.row(k))
	}
}

// use adds what n sessions used, as far as that is known.
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
