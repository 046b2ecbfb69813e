package progress

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Ready returns the steps that can be done now beside those that are at work, in the plan's order:
// what they need is done, they do not wait for approval, and no step at work, or before them in the
// list, is to write the same files. That only postpones them: Needs is what a plan promises.
func (p *Progress) Ready(pl *plan.Plan, waits plan.Unapproved, atWork map[string]bool) []*plan.Step {
	out, _ := p.ready(pl, waits, atWork)
	return out
}

// ready is Ready that also says which steps only their files postpone.
func (p *Progress) ready(pl *plan.Plan, waits plan.Unapproved, atWork map[string]bool) (out []*plan.Step, postponed []Meeting) {
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
		if m, ok := meets(busy, s); ok {
			postponed = append(postponed, m)
		} else {
			out, busy = append(out, s), append(busy, s)
		}
	}
	return out, postponed
}

// meets returns the first of some steps that may write a file of another.
func meets(steps []*plan.Step, s *plan.Step) (Meeting, bool) {
	for _, other := range steps {
		for _, a := range s.Files {
			for _, b := range other.Files {
				if MayMeet(a, b) {
					return Meeting{Step: s.ID, With: other.ID, File: a}, true
				}
			}
		}
	}
	return Meeting{}, false
}

// MayMeet reports whether two patterns of a step's Files may name the same file. Of two with
// wildcards it says yes if the fixed beginning of one is a prefix of the other's: better one step
// waits needlessly than two collide.
func MayMeet(a, b string) bool {
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
