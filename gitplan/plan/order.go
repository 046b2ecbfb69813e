package plan

// Waves returns the steps of a plan that fit, in the order in which they could be done: those
// of a wave need only what earlier waves hold, so that they could be done at once. What a step
// needs that does not fit is taken for done.
func (p *Plan) Waves(fit func(*Step) bool) [][]*Step {
	var out [][]*Step
	for _, at := range p.depths(fit) {
		for len(out) <= at.wave {
			out = append(out, nil)
		}
		out[at.wave] = append(out[at.wave], at.step)
	}
	return out
}

// placed is a step and the wave in which it could be done, from 0.
type placed struct {
	step *Step
	wave int
}

// depths returns the steps that fit so that each comes after what it needs; a plan that parsed
// has no circles.
func (p *Plan) depths(fit func(*Step) bool) []placed {
	wave, waits, enables := map[string]int{}, map[string]int{}, map[string][]*Step{}
	var ready []*Step
	for i := range p.Steps {
		s := &p.Steps[i]
		if !fit(s) {
			continue
		}
		for _, id := range s.Needs {
			if n, ok := p.Step(id); ok && fit(n) {
				waits[s.ID]++
				enables[n.ID] = append(enables[n.ID], s)
			}
		}
		if waits[s.ID] == 0 {
			ready = append(ready, s)
		}
	}
	var out []placed
	for len(ready) > 0 {
		s := ready[0]
		ready = ready[1:]
		out = append(out, placed{s, wave[s.ID]})
		for _, next := range enables[s.ID] {
			wave[next.ID] = max(wave[next.ID], wave[s.ID]+1)
			if waits[next.ID]--; waits[next.ID] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return out
}
