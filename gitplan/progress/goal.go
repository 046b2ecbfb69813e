package progress

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Course is the results of one command under Done when over time.
type Course struct {
	Command string   `json:"command"`
	Passed  bool     `json:"passed"`            // the last result
	Numbers []string `json:"numbers,omitempty"` // the numbers that it printed, oldest first, without repetitions
	undone  bool     // a step was undone since the last result
}

// String returns a line such as "wc -l: passes" or "wc -l: fails: 310 -> 180, at most 120".
func (c Course) String() string {
	text := "fails"
	switch {
	case c.undone:
		text = "to be measured again, since a step was undone"
	case c.Passed:
		text = "passes"
	}
	return plan.Unlimited(c.Command) + ": " + text + c.course(7)
}

// course returns the first number and up to last further ones; "" without any.
func (c Course) course(last int) string {
	numbers := c.Numbers
	if n := len(numbers); n > last+1 {
		numbers = append([]string{numbers[0], "..."}, numbers[n-last:]...)
	}
	if limit, ok := plan.LimitOf(c.Command); ok && numbers != nil {
		return ": " + strings.Join(numbers, " -> ") + ", " + limit.String()
	}
	return ""
}

// Standing returns how far a goal is, without commands, as in "done when 1 of 2: 310 -> 180, at most 120". The numbers
// are those of the first command that fails.
func Standing(all []Course) string {
	if len(all) == 0 {
		return ""
	}
	text := "done when " + Passing(all)
	if i := slices.IndexFunc(all, func(c Course) bool { return !c.Passed && c.Numbers != nil }); i >= 0 {
		text += all[i].course(2)
	}
	return text
}

// Used returns the share of its Bounds that a plan has used: "31 of 60 steps, 5.2 of 72 hours, 12.40 of 40 USD".
func Used(p *plan.Plan, events []journal.Event) string {
	most, t := p.Bounds.Budget, journal.Event{}
	for i := range events {
		e := &events[i]
		t.Tokens, t.Took, t.Cost = t.Tokens.Add(e.Tokens), t.Took+e.Took, t.Cost.Add(e.Cost)
	}
	of := func(used string, most float64, unit string) string {
		if most > 0 {
			used += " of " + strconv.FormatFloat(most, 'f', -1, 64)
		}
		if used == "1" || most == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		return used + " " + unit
	}
	hours := strconv.FormatFloat(math.Round(t.Took.Hours()*10)/10, 'f', -1, 64)
	used := []string{of(strconv.Itoa(p.Budgeted()), float64(most.Steps), "steps"), of(hours, most.Time.Hours(), "hours")}
	if t.Cost.Known || most.USD > 0 && t.Tokens == (agent.Tokens{}) {
		used = append(used, of(fmt.Sprintf("%.2f", t.Cost.USD), most.USD, "USD"))
	} else if most.USD > 0 {
		used = append(used, of("unknown", most.USD, "USD"))
	}
	switch n := t.Tokens.In + t.Tokens.Out; {
	case n >= 100_000:
		used = append(used, of(fmt.Sprintf("%.1f", float64(n)/1e6), most.Tokens/1e6, "million tokens"))
	case n > 0 || most.Tokens > 0 && t.Tokens.Unreported == 0:
		used = append(used, of(fmt.Sprint(n), most.Tokens, "tokens"))
	case most.Tokens > 0:
		used = append(used, of("unknown", most.Tokens, "tokens"))
	}
	return strings.Join(used, ", ")
}

// Passing returns how many commands under Done when pass, as in "2 of 3".
func Passing(all []Course) string {
	passed := slices.DeleteFunc(slices.Clone(all), func(c Course) bool { return !c.Passed })
	return fmt.Sprintf("%d of %d", len(passed), len(all))
}

// Courses returns the results of the commands that were measured last, in the order of the plan.
func Courses(events []journal.Event) (out []Course) {
	for _, e := range events {
		for i := range out {
			if e.Kind == journal.Undone {
				out[i].Passed, out[i].undone = false, true
			}
		}
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

// Stalled returns the number of plannings without progress, since a person last acted: no command newly passes, and no
// number is better than before.
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
		case nearer, e.By == journal.ByPerson:
			n = 0
		case e.Kind == journal.Planned:
			n++
		}
	}
	return n
}

// better reports whether a result is nearer to the goal than an earlier one of the same command.
func better(m, was journal.Measured) bool {
	limit, ok := plan.LimitOf(m.Command)
	if m.Passed || was.Passed || !ok || m.Number == "" {
		return m.Passed && !was.Passed
	}
	now, _ := strconv.ParseFloat(m.Number, 64)
	before, err := strconv.ParseFloat(was.Number, 64)
	return err != nil || limit.Better(now, before)
}
