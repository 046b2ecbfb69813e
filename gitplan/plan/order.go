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

// LongestWay returns the steps that take longest one after the other: no number of hands is
// done sooner. They are weighed by their estimates, in minutes, which it returns too; a step
// without one weighs as much as the mean of the others. Minutes are 0 if most have none.
func (p *Plan) LongestWay(fit func(*Step) bool) (way []*Step, minutes int) {
	all := p.depths(fit)
	sum, known := 0, 0
	for _, at := range all {
		if m := MinutesOf(at.step.Estimate); m > 0 {
			sum, known = sum+m, known+1
		}
	}
	usual := 1
	if known > 0 {
		usual = sum / known
	}
	longest, before, end := map[string]int{}, map[string]*Step{}, (*Step)(nil)
	for _, at := range all {
		s, m := at.step, MinutesOf(at.step.Estimate)
		if m == 0 {
			m = usual
		}
		for _, id := range s.Needs {
			if longest[id] > 0 && (before[s.ID] == nil || longest[id] > longest[before[s.ID].ID]) {
				before[s.ID], _ = p.Step(id)
			}
		}
		if b := before[s.ID]; b != nil {
			m += longest[b.ID]
		}
		if longest[s.ID] = m; end == nil || m > longest[end.ID] {
			end = s
		}
	}
	for s := end; s != nil; s = before[s.ID] {
		way = append([]*Step{s}, way...)
	}
	if known > 0 && 2*known >= len(all) {
		minutes = longest[end.ID]
	}
	return way, minutes
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
