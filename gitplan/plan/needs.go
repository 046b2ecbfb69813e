package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// needs reads the ids of a field Needs, with or without "#"; none for "none".
func (d *reader) needs(f Field) []string {
	all := strings.Join(append([]string{f.Value}, d.nested(f)...), ",")
	if Normalize(strings.Trim(all, "`.,# ")) == "none" {
		return nil
	}
	var out []string
	for _, part := range strings.FieldsFunc(all, func(r rune) bool { return r == ',' || r == ';' }) {
		ids, ok := idsIn(part)
		if !ok {
			d.Document.Problem(f.Line, "field", fmt.Sprintf("Needs does not name steps: `%s`; write their ids, as in `#a, #b`, or `none`", Shown(strings.TrimSpace(part))))
		}
		out = append(out, ids...)
	}
	if strings.Trim(all, ",; ") == "" {
		d.Document.Problem(f.Line, "field", "an empty Needs: write ids of steps, as in `#a, #b`, or `none`")
	}
	return out
}

// idsIn reads one id, or several that begin with "#" and are separated by blanks or "and".
func idsIn(part string) (ids []string, ok bool) {
	tokens := strings.Fields(part)
	for _, token := range tokens {
		bare := strings.Trim(token, "`{}().")
		if bare == "and" || bare == "&" {
			continue
		}
		id, marked := strings.CutPrefix(bare, "#")
		if !marked && len(tokens) > 1 {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

// indexed returns the index of each step by its id; of two steps with one id, the first.
func indexed(steps []Step) map[string]int {
	index := make(map[string]int, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		index[steps[i].ID] = i
	}
	return index
}

// resolveNeeds fills in the default of Needs, and refuses unknown ids and circles.
func (d *reader) resolveNeeds(p *Plan) {
	steps, index, inOrder := p.Steps, p.index, true
	for i := range steps {
		s := &steps[i]
		if s.At.needs == 0 {
			if i > 0 {
				s.Needs = []string{steps[i-1].ID}
			}
			continue
		}
		var known []string
		seen := make(map[string]bool, len(s.Needs))
		for _, id := range s.Needs {
			at, ok := index[id]
			switch {
			case !ok:
				d.Document.Problem(s.At.needs, "unknown-need", unknownNeed(id, steps))
			case at == i:
				d.Document.Problem(s.At.needs, "cycle", fmt.Sprintf("step `%s` needs itself: remove it from its Needs", id))
			case !seen[id]:
				known = append(known, id)
				seen[id], inOrder = true, inOrder && at < i
			}
		}
		s.Needs = known
	}
	if !inOrder {
		d.refuseCycles(p)
	}
}

func unknownNeed(id string, steps []Step) string {
	message := fmt.Sprintf("Needs names `%s`, which is not the id of a step", Shown(id))
	if n, err := strconv.Atoi(id); err == nil && n >= 1 && n <= len(steps) {
		return message + fmt.Sprintf(": write the id of step %d, #%s", n, steps[n-1].ID)
	}
	return message + ": write ids of steps, as in `#a, #b`, or `none`"
}

// refuseCycles reports a circle among the steps that no order fits, by the first need of each that is one of them.
func (d *reader) refuseCycles(p *Plan) {
	fits := map[string]bool{}
	for _, wave := range p.Waves(func(*Step) bool { return true }) {
		for _, s := range wave {
			fits[s.ID] = true
		}
	}
	at := slices.IndexFunc(p.Steps, func(s Step) bool { return !fits[s.ID] })
	seen, ids, hint := map[int]int{}, []string{}, "; remove one of them from the other's Needs"
	for at >= 0 {
		s := &p.Steps[at]
		ids = append(ids, s.ID)
		if from, circle := seen[at]; circle {
			d.Document.Problem(max(s.At.needs, s.Line), "cycle", "steps need each other in a circle: "+visible.OneLine(strings.Join(ids[from:], " -> "), 400)+hint)
			return // one circle is enough to fix at a time
		}
		seen[at] = len(ids) - 1
		if s.At.needs == 0 {
			hint = "; a step without Needs needs the one above it: write `Needs: none` if it does not"
		}
		need := slices.IndexFunc(s.Needs, func(id string) bool { return !fits[id] })
		if need < 0 {
			return // two steps have one id, which is reported
		}
		at = p.index[s.Needs[need]]
	}
}

// Waves returns the steps that fit in the order in which they could be done, as if all others were done.
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
