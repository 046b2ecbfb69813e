package progress

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Progress is the state of a whole plan.
type Progress struct {
	Steps map[string]StepState
	Done  int // done and skipped steps
	Total int
	Work  map[string]string // step -> the commit of the branch that completes it, whatever the events say
}

// Skipped returns the number of skipped steps, which Done counts as well.
func (p *Progress) Skipped() (n int) {
	for _, st := range p.Steps {
		if st.State == StateSkipped {
			n++
		}
	}
	return n
}

// Summary returns the numbers of done and skipped steps in words, as Far does.
func (p *Progress) Summary() string { return Far(p.Done, p.Skipped(), p.Total) }

// Far returns "3 of 5 done, 1 skipped". The argument done counts skipped steps, the text does not.
func Far(done, skipped, total int) string {
	text := fmt.Sprintf("%d of %d done", done-skipped, total)
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	return text
}

// Counted returns n with the numbers of done, skipped and all steps.
func (p *Progress) Counted(n journal.Notice) journal.Notice {
	n.Done, n.Total, n.Skipped = p.Done-p.Skipped(), p.Total, p.Skipped()
	return n
}

// Complete reports whether nothing is left to do.
func (p *Progress) Complete() bool { return p.Done == p.Total }

// DoneElsewhere returns the commit of the branch that names an open step without an event in this clone.
func (p *Progress) DoneElsewhere(step string) (commit string, ok bool) {
	if st := p.Steps[step]; st.State == StateOpen && st.Last().Kind == "" {
		commit = p.Work[step]
	}
	return commit, commit != ""
}

// AllDone returns the message for a plan without an open step.
func (p *Progress) AllDone() string { return "no step is left: " + p.Summary() }

// Unmet returns the needed steps that are neither done, skipped nor only to be confirmed by a person.
func (p *Progress) Unmet(s *plan.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Needs), func(id string) bool {
		st := p.Steps[id]
		return st.State == StateDone || st.State == StateSkipped || st.Unchanged()
	})
}

// Next returns the first open step, in the plan's order, whose needs are met.
func (p *Progress) Next(pl *plan.Plan) (*plan.Step, bool) { return p.NextOf(pl, plan.Unapproved{}) }

// NextOf is Next without steps that wait for approval.
func (p *Progress) NextOf(pl *plan.Plan, waits plan.Unapproved) (*plan.Step, bool) {
	if ready := p.Ready(pl, waits, nil); len(ready) > 0 {
		return ready[0], true
	}
	return nil, false
}

// Blocked returns the first blocked step, in the plan's order.
func (p *Progress) Blocked(pl *plan.Plan) (*plan.Step, bool) {
	for i := range pl.Steps {
		if s := &pl.Steps[i]; p.Steps[s.ID].State == StateBlocked {
			return s, true
		}
	}
	return nil, false
}

// From derives the progress from the events of a plan's chain, oldest first, and the commits of its branch since
// the plan's start, newest first. lookup reads any other commit; it may fail. A step is done if its last event is
// checked or done and a commit of the branch completes it (history.go), or if that event says that it needed no commit.
// A commit forged by a session proves nothing, since the step's last event is then started.
func From(pl *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(oid string) (git.Commit, bool)) *Progress {
	h := readHistory(pl, events, commits, lookup)
	last, undone := LastEvents(events), Undone(events)
	p := &Progress{Steps: make(map[string]StepState, len(pl.Steps)), Total: len(pl.Steps), Work: h.done}
	for i := range pl.Steps {
		s := &pl.Steps[i]
		st := h.state(s, last[s.ID])
		if commit := undone[s.ID]; commit != "" && st.State == StateReopened {
			st.Commit, st.Reason = commit, "was undone"
		}
		if st.State == StateDone || st.State == StateSkipped {
			p.Done++
		}
		p.Steps[s.ID] = st
	}
	return p
}

// Mark sets the state of a step that is not done.
func (p *Progress) Mark(step string, s State) {
	if st, ok := p.Steps[step]; ok && st.State != StateDone {
		st.State = s
		p.Steps[step] = st
	}
}

// Since returns the commits from the plan's start to tip, newest first; all ancestors of tip if the start is unknown.
func Since(ctx context.Context, s *journal.Store, d *journal.Document, tip string) ([]git.Commit, error) {
	start := d.Start()
	if tip == start {
		return nil, nil
	}
	return s.Repo.History(ctx, s.Repo.PlanDir(d.ID, "commits"), "--topo-order", tip, strings.TrimPrefix(start, journal.None))
}

// Derive returns the progress of a stored plan by the commits since its start; see From.
func Derive(ctx context.Context, s *journal.Store, d *journal.Document, commits []git.Commit) *Progress {
	return From(d.Plan, d.Events, commits, lookup(ctx, s))
}

// Ready returns the steps that can be done now, in the plan's order. No two of them may write the same file.
func (p *Progress) Ready(pl *plan.Plan, waits plan.Unapproved, atWork map[string]bool) (out []*plan.Step) {
	var busy []*plan.Step
	for i := range pl.Steps {
		if s := &pl.Steps[i]; atWork[s.ID] {
			busy = append(busy, s)
		}
	}
	for i := range pl.Steps {
		s := &pl.Steps[i]
		if st := p.Steps[s.ID].State; st != StateOpen && st != StateReopened || atWork[s.ID] ||
			len(p.Unmet(s)) > 0 || waits.WaitsFor(s.ID) {
			continue
		}
		overlaps := func(other *plan.Step) bool {
			return slices.ContainsFunc(s.Files, func(a string) bool {
				return slices.ContainsFunc(other.Files, func(b string) bool { return mayOverlap(a, b) })
			})
		}
		if !slices.ContainsFunc(busy, overlaps) {
			out, busy = append(out, s), append(busy, s)
		}
	}
	return out
}

// mayOverlap reports whether two patterns may match the same file. If both have wildcards, their fixed prefixes decide.
func mayOverlap(a, b string) bool {
	const wild = "*?[{"
	if i, j := strings.IndexAny(a, wild), strings.IndexAny(b, wild); i >= 0 && j >= 0 {
		return strings.HasPrefix(a[:i], b[:j]) || strings.HasPrefix(b[:j], a[:i])
	}
	return plan.MatchesAny([]string{a}, b) || plan.MatchesAny([]string{b}, a)
}

// Requirement is the state of one requirement of a plan, as status --json prints it.
type Requirement struct {
	ID    string    `json:"id"`
	Text  string    `json:"text"`
	State State     `json:"state"` // done if all steps that serve it are done; open if no step serves it
	Steps []Serving `json:"steps"`
}

// Serving is a step that serves a requirement.
type Serving struct {
	ID     string `json:"id"`
	State  State  `json:"state"`
	Commit string `json:"commit"` // "" without one
	Title  string `json:"-"`
}

// Requirements returns the state of a plan's requirements, in order.
func (p *Progress) Requirements(pl *plan.Plan) []Requirement {
	serving := pl.Serving()
	finished := []State{StateBlocked, StateRunning, StateReopened, StateOpen, StateSkipped, StateDone}
	var out []Requirement
	for _, r := range pl.Requirements {
		row := Requirement{ID: r.ID, Text: r.Text, State: StateOpen, Steps: []Serving{}}
		least := len(finished)
		for _, s := range serving[r.ID] {
			st := p.Steps[s.ID]
			row.Steps = append(row.Steps, Serving{s.ID, st.State, st.CommitOID(), s.Title})
			least = min(least, slices.Index(finished, st.State))
			row.State = finished[least]
		}
		out = append(out, row)
	}
	return out
}

// Graph returns a line for each step: number, state, ID, and the steps that it needs.
func Graph(p *plan.Plan, pr *Progress) string {
	var b strings.Builder
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(&b, "%3d  %-9s %s", s.N, pr.Steps[s.ID].State, s.ID)
		if len(s.Needs) > 0 {
			fmt.Fprintf(&b, " <- %s", strings.Join(s.Needs, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
