package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Step is a step of the plan, as a board lists it before its turn.
type Step struct {
	ID, Title string
	Open      bool     // still to be done
	Needs     []string // ids of the steps that it waits for
}

// aheadRows is how many steps to come are listed; the others are counted.
const aheadRows = 4

// name returns what the row of a step begins with: its place in the plan and its title, or, if
// the plan is not known here, its id and title.
func (b *board) name(id, title string) string {
	if n := b.number(id); n > 0 {
		return fmt.Sprintf("%d/%d %s", n, len(b.plan), title)
	}
	return id + ": " + title
}

// number returns the place of a step in the plan, from 1; 0 if it is not known.
func (b *board) number(id string) int {
	if i, ok := b.places[id]; ok {
		return i + 1
	}
	return 0
}

// know takes note of the steps of the plan.
func (b *board) know(steps []Step) {
	b.plan, b.places = steps, make(map[string]int, len(steps))
	for i, s := range steps {
		b.places[s.ID] = i
		steps[i].Open = s.Open && !b.over[s.ID]
	}
}

// settleStep notes that a step is no longer to come.
func (b *board) settleStep(id string) {
	if b.over == nil {
		b.over = map[string]bool{}
	}
	b.over[id] = true
	if n := b.number(id); n > 0 {
		b.plan[n-1].Open = false
	}
}

// ahead returns the rows of the steps to come, at most room of them.
func (b *board) ahead(room int) []row {
	if len(b.tasks) == 0 || b.tasks[0].step == "" || b.stopping || room <= 0 {
		return nil
	}
	var out []row
	more := 0
	for i, s := range b.plan {
		switch {
		case !s.Open || b.atWork(s.ID):
		case len(out) < min(room, aheadRows):
			out = append(out, row{mark: todo, text: fmt.Sprintf("%d/%d %s", i+1, len(b.plan), s.Title), more: b.waits(s)})
		default:
			more++
		}
	}
	if more > 0 {
		if len(out) == room { // the last one makes room for the count
			out, more = out[:len(out)-1], more+1
		}
		out = append(out, row{mark: todo, text: fmt.Sprintf("%d more", more)})
	}
	return out
}

// waits says which steps a step to come waits for, by their numbers.
func (b *board) waits(s Step) string {
	var numbers []string
	for _, id := range s.Needs {
		if n := b.number(id); n > 0 && (b.plan[n-1].Open || b.atWork(id) || slices.Contains(b.blocked, id)) {
			numbers = append(numbers, fmt.Sprint(n))
		}
	}
	if len(numbers) == 0 {
		return ""
	}
	return "after " + strings.Join(numbers, ", ")
}

func (b *board) atWork(step string) bool { return b.of(step).step == step }

// title is what the terminal's title says: what is under way; "" between tasks.
func (b *board) title() string {
	switch len(b.tasks) {
	case 0:
		return ""
	case 1:
		return "git plan: " + visible.OneLine(b.tasks[0].text, 80)
	}
	return fmt.Sprintf("git plan: %d steps at work", len(b.tasks))
}
