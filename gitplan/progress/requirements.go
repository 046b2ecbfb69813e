package progress

import "github.com/git-plan/git-plan/gitplan/plan"

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
