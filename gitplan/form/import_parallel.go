package form

import "strings"

// group is the heading that a step is under, and whether it is marked [P].
type group struct {
	segment  int
	parallel bool
}

// parallel sets the needs of the steps if some are marked [P]: neighbours with the mark do not
// need each other, but all that comes before them, and what comes next needs all of them. A
// heading ends a neighbourhood.
func (d *draft) parallel(groups []group) {
	const widest = 50 // steps that need nothing of each other; so needs stay linear
	var before, now []int
	d.name()
	for i, g := range groups {
		if i > 0 && (!g.parallel || !groups[i-1].parallel || g.segment != groups[i-1].segment || len(now) >= widest) {
			if g.parallel && len(now) >= widest && groups[i-1].parallel && g.segment == groups[i-1].segment {
				d.note(d.steps[i].place, "more than %d steps side by side: this one and those after it need those before it", widest)
			}
			before, now = now, nil
		}
		now = append(now, i)
		if i == 0 || len(before) == 1 && before[0] == i-1 {
			continue
		}
		for _, n := range before {
			d.steps[i].needs = append(d.steps[i].needs, "#"+d.steps[n].id)
		}
		if len(before) == 0 {
			d.steps[i].needs = []string{"none"}
		}
	}
}

// cutMark removes the mark [P] from either end of a title.
func cutMark(title string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(title, "[P]"); !ok {
		rest, ok = strings.CutSuffix(title, "[P]")
	}
	return strings.TrimSpace(rest), ok
}
