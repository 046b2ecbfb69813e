package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// maxListed bounds how many other steps are listed: as many as a plan of ordinary size
// has, so that a plan ten times as long costs a session no more.
const maxListed = 40

// otherSteps describes the rest of the plan in at most budget bytes: the step's
// neighbours and what it needs in full, and a line for each other step, nearest first, up
// to maxListed of them. The rest is counted.
//
// What is done comes first, each step in a frame of its own, since these frames stay as they are:
// a session begins with those that the one before it read.
func otherSteps(p *plan.Plan, at *progress.Progress, step *plan.Step, budget int) string {
	inFull, order := nearest(p, step)
	texts := chosen(p, at, inFull, order, budget)
	var done, rest strings.Builder
	for _, i := range slices.Sorted(maps.Keys(texts)) {
		s := &p.Steps[i]
		st := at.Steps[s.ID]
		if st.State != progress.StateDone {
			rest.WriteString(texts[i])
			continue
		}
		line := LineOf(s, st)
		done.WriteString(frame(data, fmt.Sprintf("step %d, which is done", s.N), line))
		if text := strings.TrimPrefix(texts[i], line); text != "" {
			fmt.Fprintf(&rest, "%d. (#%s), which is done:\n%s", s.N, s.ID, text)
		}
	}
	rest.WriteString(unlisted(len(p.Steps) - 1 - len(texts)))
	if rest.Len() > 0 {
		done.WriteString(frame(data, "the steps around yours, and those that come later", rest.String()))
	}
	return done.String()
}

// allSteps describes every step of the plan in full, in at most budget bytes; the last ones
// come first, since what they did is what holds now.
func allSteps(p *plan.Plan, at *progress.Progress, budget int) string {
	inFull, order := map[int]bool{}, []int{}
	for i := len(p.Steps) - 1; i >= 0; i-- {
		inFull[i], order = true, append(order, i)
	}
	return listed(p, at, inFull, order, len(p.Steps), budget)
}

// listed describes steps, in the plan's order, as far as the budget goes; those that come
// first in order get it first. The rest of all of them is counted.
func listed(p *plan.Plan, at *progress.Progress, inFull map[int]bool, order []int, all, budget int) string {
	texts := chosen(p, at, inFull, order, budget)
	var b strings.Builder
	for _, i := range slices.Sorted(maps.Keys(texts)) {
		b.WriteString(texts[i])
	}
	return b.String() + unlisted(all-len(texts))
}

// unlisted says how many steps are not listed.
func unlisted(more int) string {
	if more <= 0 {
		return ""
	}
	return fmt.Sprintf("(%d more steps, further away, are not listed)\n", more)
}

// chosen returns the texts of steps as far as the budget goes, by their indices.
func chosen(p *plan.Plan, at *progress.Progress, inFull map[int]bool, order []int, budget int) map[int]string {
	texts := map[int]string{}
	for _, i := range order {
		s := &p.Steps[i]
		line := LineOf(s, at.Steps[s.ID])
		text := line
		if status := s.At.Status; inFull[i] && len(s.Text)-(status.To-status.From) <= budget { // else it is not even copied
			text += indent(s.Approved()) + "\n"
		}
		switch {
		case len(text) <= budget:
		case len(line) <= budget:
			text = line
		default:
			continue
		}
		budget -= len(text)
		texts[i] = text
	}
	return texts
}

// nearest returns the indices of the steps to list: the neighbours and what the step
// needs, which are shown in full, then the others by distance.
func nearest(p *plan.Plan, step *plan.Step) (inFull map[int]bool, order []int) {
	at, inFull := step.N-1, map[int]bool{}
	add := func(i int, full bool) {
		if _, listed := inFull[i]; i >= 0 && i < len(p.Steps) && i != at && !listed {
			order = append(order, i)
			inFull[i] = full
		}
	}
	add(at-1, true)
	add(at+1, true)
	for _, id := range step.Needs {
		if s, ok := p.Step(id); ok {
			add(s.N-1, true)
		}
	}
	for d := 2; d < len(p.Steps) && len(order) < maxListed; d++ {
		add(at-d, false)
		add(at+d, false)
	}
	return inFull, order
}

// LineOf returns the line of a list that names a step and its state.
func LineOf(s *plan.Step, st progress.StepState) string {
	line := fmt.Sprintf("%d. %s (#%s): %s", s.N, s.Title, s.ID, st.State)
	if st.Summary != "" {
		line += "; its session reported: " + st.Summary
	}
	return line + "\n"
}
