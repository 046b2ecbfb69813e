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

// A detail says how much is shown of another step.
type detail int

const (
	inLine    detail = iota // its title, its state, and what its session reported
	withFiles               // and the files that it names
	inFull                  // and its text
)

// otherSteps describes the rest of the plan in at most budget bytes: the step's
// neighbours and what it names in Needs in full, and a line for each other step, nearest first, up
// to maxListed of them. The rest is counted. The text of the step before it is left out once
// that is done and reported: it would be paid for in each request, and what became of it is known.
//
// What is done comes first, each step in a frame of its own, since these frames stay as they are:
// a session begins with those that the one before it read.
func otherSteps(p *plan.Plan, at *progress.Progress, step *plan.Step, budget int) string {
	shown, order := nearest(p, at, step)
	texts := chosen(p, at, shown, order, budget)
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
	shown, order := map[int]detail{}, []int{}
	for i := len(p.Steps) - 1; i >= 0; i-- {
		shown[i], order = inFull, append(order, i)
	}
	return listed(p, at, shown, order, len(p.Steps), budget)
}

// listed describes steps, in the plan's order, as far as the budget goes; those that come
// first in order get it first. The rest of all of them is counted.
func listed(p *plan.Plan, at *progress.Progress, shown map[int]detail, order []int, all, budget int) string {
	texts := chosen(p, at, shown, order, budget)
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
func chosen(p *plan.Plan, at *progress.Progress, shown map[int]detail, order []int, budget int) map[int]string {
	texts := map[int]string{}
	for _, i := range order {
		s := &p.Steps[i]
		line := LineOf(s, at.Steps[s.ID])
		text := line
		switch status := s.At.Status; {
		case shown[i] == inFull && len(s.Text)-(status.To-status.From) <= budget: // else it is not even copied
			text += indent(s.Approved()) + "\n"
		case shown[i] == withFiles && len(s.Files) > 0:
			text += indent("Files: "+strings.Join(s.Files, ", ")) + "\n"
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

// nearest returns the indices of the steps to list, and how much of each is shown: the
// neighbours and what the step names in Needs, then the others by distance.
func nearest(p *plan.Plan, at *progress.Progress, step *plan.Step) (shown map[int]detail, order []int) {
	self, shown := step.N-1, map[int]detail{}
	add := func(i int, much detail) {
		if _, listed := shown[i]; i >= 0 && i < len(p.Steps) && i != self {
			if !listed {
				order = append(order, i)
			}
			shown[i] = max(shown[i], much)
		}
	}
	before := inFull
	if self > 0 && reported(at.Steps[p.Steps[self-1].ID]) {
		before = withFiles
	}
	add(self-1, before)
	add(self+1, inFull)
	for _, id := range step.Needs {
		if s, ok := p.Step(id); ok && step.NamesNeeds() { // the default is the step before it
			add(s.N-1, inFull)
		}
	}
	for d := 2; d < len(p.Steps) && len(order) < maxListed; d++ {
		add(self-d, inLine)
		add(self+d, inLine)
	}
	return shown, order
}

// reported reports whether a step is done and its session said what it did.
func reported(st progress.StepState) bool {
	return st.State == progress.StateDone && st.Summary != ""
}

// LineOf returns the line of a list that names a step and its state.
func LineOf(s *plan.Step, st progress.StepState) string {
	line := fmt.Sprintf("%d. %s (#%s): %s", s.N, s.Title, s.ID, st.State)
	if st.Summary != "" {
		line += "; its session reported: " + st.Summary
	}
	return line + "\n"
}
