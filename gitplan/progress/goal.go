package progress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Course is how a command of Done when ended each time that it was run.
type Course struct {
	Command string   `json:"command"`
	Passed  bool     `json:"passed"`            // the last time
	Numbers []string `json:"numbers,omitempty"` // that it printed, oldest first, each time that it was another one
}

// String says it in a line: passes, or fails: 310 -> 180.
func (c Course) String() string {
	text := "fails"
	if c.Passed {
		text = "passes"
	}
	if len(c.Numbers) > 0 {
		text += ": " + strings.Join(c.Numbers, " -> ")
	}
	return text
}

// Passing says how many commands of Done when pass.
func Passing(all []Course) string {
	n := len(slices.DeleteFunc(slices.Clone(all), func(c Course) bool { return !c.Passed }))
	return fmt.Sprintf("%d of %d pass", n, len(all))
}

// Courses returns how the commands of Done when ended that were run the last time, in the order of the plan.
func Courses(events []journal.Event) (out []Course) {
	for _, e := range events {
		if len(e.Measured) == 0 {
			continue
		}
		was := out
		out = nil
		for _, m := range e.Measured {
			c := Course{Command: m.Command, Passed: m.Passed}
			if i := slices.IndexFunc(was, func(o Course) bool { return o.Command == m.Command }); i >= 0 {
				c.Numbers = was[i].Numbers
			}
			if n := len(c.Numbers); m.Number != "" && (n == 0 || c.Numbers[n-1] != m.Number) {
				c.Numbers = append(slices.Clip(c.Numbers), m.Number)
			}
			out = append(out, c)
		}
	}
	return out
}

// Plannings returns how often the plan was planned again within its Bounds.
func Plannings(events []journal.Event) (n int) {
	for _, e := range events {
		if e.Kind == journal.Planned {
			n++
		}
	}
	return n
}

// Stalled returns how many plannings in a row found no command that passes first, and no number that is the best.
func Stalled(events []journal.Event) (n int) {
	best := map[string]journal.Measured{}
	for _, e := range events {
		nearer := false
		for _, m := range e.Measured {
			was, known := best[m.Command]
			if known && !better(m, was) {
				continue
			}
			best[m.Command], nearer = m, true
		}
		switch {
		case nearer:
			n = 0
		case e.Kind == journal.Planned:
			n++
		}
	}
	return n
}

// better reports whether a command of Done when is nearer to its end than it was.
func better(m, was journal.Measured) bool {
	limit, ok := plan.LimitOf(m.Command)
	if m.Passed || was.Passed || !ok || m.Number == "" {
		return m.Passed && !was.Passed
	}
	now, _ := strconv.ParseFloat(m.Number, 64)
	before, err := strconv.ParseFloat(was.Number, 64)
	return err != nil || limit.Better(now, before)
}
