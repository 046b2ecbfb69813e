package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// maxListed bounds how many other steps are listed, however long the plan is.
const maxListed = 30

// otherSteps describes the rest of the plan in at most budget bytes: neighbours and needs in full, others in a line,
// nearest first. Each done step has a frame of its own, which later prompts begin with, too.
func otherSteps(p *plan.Plan, at *progress.Progress, step *plan.Step, budget int) string {
	order, full := nearest(p, at, step)
	texts := chosen(p, at, order, full, budget)
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

// allSteps describes every step in full, in at most budget bytes, which the last ones get first.
func allSteps(p *plan.Plan, at *progress.Progress, budget int) string {
	var order []int
	for i := range slices.Backward(p.Steps) {
		order = append(order, i)
	}
	texts := chosen(p, at, order, func(int) bool { return true }, budget)
	var b strings.Builder
	for _, i := range slices.Sorted(maps.Keys(texts)) {
		b.WriteString(texts[i])
	}
	return b.String() + unlisted(len(p.Steps)-len(texts))
}

// unlisted says how many steps are not listed.
func unlisted(more int) string {
	if more <= 0 {
		return ""
	}
	return fmt.Sprintf("(%d more steps, further away, are not listed)\n", more)
}

// chosen returns the texts of steps as far as the budget goes, by their indices.
func chosen(p *plan.Plan, at *progress.Progress, order []int, full func(int) bool, budget int) map[int]string {
	texts := map[int]string{}
	for _, i := range order {
		s := &p.Steps[i]
		text := LineOf(s, at.Steps[s.ID])
		if full(i) && len(s.Text) <= budget { // else it is not even copied
			if whole := text + "     " + strings.ReplaceAll(strings.TrimRight(s.Approved(), "\n"), "\n", "\n     ") + "\n"; len(whole) <= budget {
				text = whole
			}
		}
		if len(text) <= budget {
			budget -= len(text)
			texts[i] = text
		}
	}
	return texts
}

// nearest returns the indices of the steps to list, and which of them in full: neighbours and needs, except the one
// before once it is done and reported.
func nearest(p *plan.Plan, at *progress.Progress, step *plan.Step) (order []int, full func(int) bool) {
	self, whole, listed := step.N-1, map[int]bool{}, map[int]bool{step.N - 1: true}
	add := func(i int) {
		if i >= 0 && i < len(p.Steps) && !listed[i] {
			listed[i] = true
			order = append(order, i)
		}
	}
	if self > 0 {
		before := at.Steps[p.Steps[self-1].ID]
		whole[self-1] = before.State != progress.StateDone || before.Summary == ""
	}
	whole[self+1] = true
	add(self - 1)
	add(self + 1)
	for _, id := range step.Needs {
		if s, ok := p.Step(id); ok && step.NamesNeeds() { // the default is the step before it
			whole[s.N-1] = true
			add(s.N - 1)
		}
	}
	for d := 2; d < len(p.Steps) && len(order) < maxListed; d++ {
		add(self - d)
		add(self + d)
	}
	return order, func(i int) bool { return whole[i] }
}

// LineOf returns the line of a list that names a step and its state.
func LineOf(s *plan.Step, st progress.StepState) string {
	line := fmt.Sprintf("%d. %s (#%s): %s", s.N, s.Title, s.ID, st.State)
	if st.Summary != "" {
		line += "; its session reported: " + st.Summary
	}
	return line + "\n"
}
