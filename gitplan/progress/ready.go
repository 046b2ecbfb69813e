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

// Beside is how many steps that are not done could be at work at once, and what keeps the others
// from that.
type Beside struct {
	Most  int       `json:"most"`            // at once
	Above []string  `json:"above,omitempty"` // that need the step above only because they have no Needs
	Meet  []Meeting `json:"meet,omitempty"`  // that only files keep apart now

	left int // steps that are to be done
}

// Meeting is a step that waits for another that is at work or comes first, since both may write the
// same file.
type Meeting struct {
	Step string `json:"step"`
	With string `json:"with"`
	File string `json:"file"` // as the first names it
}

// Beside says which steps could be at work beside those that are.
func (p *Progress) Beside(pl *plan.Plan, waits plan.Unapproved, atWork map[string]bool) Beside {
	left := func(s *plan.Step) bool {
		st := p.Steps[s.ID].State
		return st != StateDone && st != StateSkipped
	}
	var out Beside
	for _, wave := range pl.Waves(left) {
		able := slices.DeleteFunc(wave, func(s *plan.Step) bool { return p.Steps[s.ID].State == StateBlocked })
		out.Most, out.left = max(out.Most, len(able)), out.left+len(able)
	}
	for i := range pl.Steps {
		if s := &pl.Steps[i]; i > 0 && left(s) && left(&pl.Steps[i-1]) && !s.NamesNeeds() {
			out.Above = append(out.Above, s.ID)
		}
	}
	_, out.Meet = p.ready(pl, waits, atWork)
	return out
}

// Lines explains it to people; jobs is the run's number of jobs, 0 if that is not known. It is empty
// if Needs neither separate steps nor leave a job idle.
func (b Beside) Lines(jobs int) (out []string) {
	if b.Most < b.left && (jobs == 0 || b.Most < jobs) {
		text := fmt.Sprintf("side by side: at most %d by what they need", b.Most)
		if len(b.Above) > 0 {
			text += fmt.Sprintf("; without Needs a step needs the one above it, as %s does: write `Needs: none` if it needs none", b.Above[0])
		}
		out = append(out, text)
	}
	for _, m := range b.Meet[:min(len(b.Meet), 3)] {
		out = append(out, fmt.Sprintf("side by side: %s waits for %s, since both may write %s", m.Step, m.With, m.File))
	}
	return out
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

// together returns the state of several steps as of one: that of the one which is furthest
// from done.
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
