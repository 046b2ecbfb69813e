package progress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Ready returns the steps that can be done now beside those that are at work, in the plan's order:
// what they need is done, they do not wait for approval, and no step at work, or before them in the
// list, is to write the same files. That only postpones them: Needs is what a plan promises.
func (p *Progress) Ready(pl *plan.Plan, waits plan.Unapproved, atWork map[string]bool) (out []*plan.Step) {
	var busy []*plan.Step
	for i := range pl.Steps {
		if s := &pl.Steps[i]; atWork[s.ID] {
			busy = append(busy, s)
		}
	}
	for i := range pl.Steps {
		s := &pl.Steps[i]
		if st := p.Steps[s.ID].State; st != StateOpen && st != StateReopened || atWork[s.ID] || !p.Met(s) || waits.WaitsFor(s.ID) {
			continue
		}
		if !slices.ContainsFunc(busy, func(other *plan.Step) bool { return sameFile(s.Files, other.Files) }) {
			out, busy = append(out, s), append(busy, s)
		}
	}
	return out
}

// sameFile reports whether one of some patterns may name the same file as one of others.
func sameFile(some, others []string) bool {
	return slices.ContainsFunc(some, func(a string) bool {
		return slices.ContainsFunc(others, func(b string) bool { return mayMeet(a, b) })
	})
}

// mayMeet reports whether two patterns of a step's Files may name the same file. Of two with
// wildcards it says yes if the fixed beginning of one is a prefix of the other's: better one step
// waits needlessly than two collide.
func mayMeet(a, b string) bool {
	wildA, wildB := strings.ContainsAny(a, "*?[{"), strings.ContainsAny(b, "*?[{")
	switch {
	case !wildA && !wildB:
		return plan.MatchesAny([]string{a}, b) || plan.MatchesAny([]string{b}, a)
	case !wildA:
		return plan.MatchesAny([]string{b}, a)
	case !wildB:
		return plan.MatchesAny([]string{a}, b)
	}
	fixedA, fixedB := a[:strings.IndexAny(a, "*?[{")], b[:strings.IndexAny(b, "*?[{")]
	return strings.HasPrefix(fixedA, fixedB) || strings.HasPrefix(fixedB, fixedA)
}

// Requirement is what has become of one requirement of a plan.
type Requirement struct {
	plan.Requirement
	State State        // done if all steps that serve it are; open also if none does
	Steps []*plan.Step // that serve it
}

// Requirements returns what has become of the requirements of a plan, in its order.
func (p *Progress) Requirements(pl *plan.Plan) []Requirement {
	serving := pl.Serving()
	var out []Requirement
	for _, r := range pl.Requirements {
		out = append(out, Requirement{r, p.together(serving[r.ID]), serving[r.ID]})
	}
	return out
}

// together returns the least finished state among the steps.
func (p *Progress) together(steps []*plan.Step) State {
	if len(steps) == 0 {
		return StateOpen
	}
	for _, state := range []State{StateBlocked, StateRunning, StateReopened, StateOpen, StateSkipped} {
		for _, s := range steps {
			if p.Steps[s.ID].State == state {
				return state
			}
		}
	}
	return StateDone
}

// Graph shows which step needs which, as lines: each step with its state, and
// what it needs.
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
