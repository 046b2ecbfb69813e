package progress

import (
	"context"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// LastOf returns the last event that counts for one step; a zero one without one.
func LastOf(events []journal.Event, step string) journal.Event {
	return StepState{Event: LastEvents(events)[step]}.Last()
}

// Progress is what has become of a whole plan.
type Progress struct {
	Steps map[string]StepState
	Done  int // done and skipped steps
	Total int

	Work map[string]string // step -> the commit of the branch that does it, whatever the events say
}

// Skipped returns how many steps are left out, which Done counts as well.
func (p *Progress) Skipped() (n int) {
	for _, st := range p.Steps {
		if st.State == StateSkipped {
			n++
		}
	}
	return n
}

// Summary returns how many steps are done, and how many are left out.
func (p *Progress) Summary() string {
	skipped := p.Skipped()
	text := fmt.Sprintf("%d of %d done", p.Done-skipped, p.Total)
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	return text
}

// Complete reports whether nothing is left to do.
func (p *Progress) Complete() bool { return p.Done == p.Total }

// DoneElsewhere returns the commit of the branch that names an open step without any event here: it was
// done in another clone, whose plan is not here. Not proof, but running the step again could duplicate
// the work.
func (p *Progress) DoneElsewhere(step string) (commit string, ok bool) {
	if st := p.Steps[step]; st.State == StateOpen && st.Last().Kind == "" {
		commit = p.Work[step]
	}
	return commit, commit != ""
}

// AllDone returns a sentence that nothing is left to do.
func (p *Progress) AllDone() string {
	skipped := p.Skipped()
	switch {
	case p.Total == 1 && skipped == 1:
		return "the only step is skipped"
	case p.Total == 1:
		return "the only step is done"
	case skipped > 0:
		return fmt.Sprintf("all %d steps are done or skipped", p.Total)
	}
	return fmt.Sprintf("all %d steps are done", p.Total)
}

// NotDone returns a sentence of how many steps are left.
func (p *Progress) NotDone() string {
	left, are := p.Total-p.Done, "are"
	if left == 1 {
		are = "is"
	}
	if p.Total == 1 {
		return "the only step of its plan is not done"
	}
	return fmt.Sprintf("%d of %d steps of its plan %s not done", left, p.Total, are)
}

// Met reports whether everything a step needs is done or skipped.
func (p *Progress) Met(s *plan.Step) bool {
	for _, id := range s.Needs {
		if st := p.Steps[id].State; st != StateDone && st != StateSkipped {
			return false
		}
	}
	return true
}

// Next returns the first open step, in the plan's order, whose needs are met.
func (p *Progress) Next(pl *plan.Plan) (*plan.Step, bool) { return p.NextOf(pl, plan.Unapproved{}) }

// NextOf is Next without the steps that wait for approval.
func (p *Progress) NextOf(pl *plan.Plan, waits plan.Unapproved) (*plan.Step, bool) {
	for i := range pl.Steps {
		s := &pl.Steps[i]
		if st := p.Steps[s.ID].State; (st == StateOpen || st == StateReopened) && p.Met(s) && !waits.WaitsFor(s.ID) {
			return s, true
		}
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

// From returns what is done, from the events of a plan's chain, oldest first, and the commits of its
// branch since the plan's start, newest first as git log prints them. lookup reads a commit that is
// not among them, such as one that was rebased away; it may fail.
//
// A step is done if its last event is checked or done and a commit of the branch names it that no
// later one reverts (history.go), or if that event says that no commit was needed. A commit names the
// steps of its message's trailers, those that a done event says it did, and those of the commits that
// it replaced. A commit that a session forged proves nothing, since it comes after started; a reset or
// a revert reopens the step, since the commit is gone.
func From(pl *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(oid string) (git.Commit, bool)) *Progress {
	h := readHistory(pl, events, commits, lookup)
	last, taken := LastEvents(events), Undone(events)
	p := &Progress{Steps: map[string]StepState{}, Total: len(pl.Steps), Work: h.done}
	for i := range pl.Steps {
		s := &pl.Steps[i]
		st := h.state(s, last[s.ID])
		if commit := taken[s.ID]; commit != "" && st.State == StateReopened {
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

// Since returns the commits of tip since the plan's start, newest first; all of them if the
// start is unknown or gone. A plan that changed nothing yet needs no walk.
func Since(ctx context.Context, s *journal.Store, d *journal.Document, tip string) ([]git.Commit, error) {
	start := d.Start()
	if tip == start {
		return nil, nil
	}
	if len(d.Events) <= journal.ShortChain && start != journal.None { // little happened, and few commits came of it
		if commits, ok := s.Repo.Chain(ctx, tip, start, journal.ShortChain); ok {
			return commits, nil
		}
	}
	args := []string{"--topo-order", tip}
	if start != journal.None {
		if _, err := s.Repo.Resolve(ctx, start+"^{commit}"); err == nil {
			args = append(args, "--not", start)
		}
	}
	return s.Repo.Log(ctx, args...)
}

// Derive returns what has become of a stored plan, by the commits since its start; see From.
func Derive(ctx context.Context, s *journal.Store, d *journal.Document, commits []git.Commit) *Progress {
	return From(d.Plan, d.Events, commits, lookup(ctx, s))
}
