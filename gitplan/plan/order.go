package plan

// Waves returns the steps of a plan that fit, in the order in which they could be done: those of a wave
// need only what earlier waves hold, so that they could be done at once. What a step needs that does
// not fit is taken for done. A plan that parsed has no circles.
func (p *Plan) Waves(fit func(*Step) bool) (out [][]*Step) {
	waits, enables := map[string]int{}, map[string][]*Step{}
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
	for len(ready) > 0 {
		out = append(out, ready)
		var next []*Step
		for _, s := range ready {
			for _, n := range enables[s.ID] {
				if waits[n.ID]--; waits[n.ID] == 0 {
					next = append(next, n)
				}
			}
		}
		ready = next
	}
	return out
}
