package views

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Weak prints what is weak in a plan that a person is about to approve: what is the same in
// several places is one line.
func Weak(w io.Writer, found []plan.Weakness) {
	type same struct{ rule, text, fix string }
	places := map[same][]plan.Weakness{}
	for _, f := range found {
		key := same{f.Rule, f.Text, f.Fix}
		places[key] = append(places[key], f)
	}
	for _, f := range found {
		key := same{f.Rule, f.Text, f.Fix}
		switch all := places[key]; {
		case len(all) < 3 || f.File != "":
			Weaknesses(w, []plan.Weakness{f})
		case f == all[0]:
			say(w, "%s: %s: %s", linesOf(all), label(f), advice(f))
		}
	}
}

// linesOf names the lines of several places, the first of many.
func linesOf(places []plan.Weakness) string {
	const few = 5
	var lines []string
	for _, f := range places[:min(few, len(places))] {
		lines = append(lines, strconv.Itoa(f.Line))
	}
	if more := len(places) - few; more > 0 {
		return fmt.Sprintf("lines %s and %d more", strings.Join(lines, ", "), more)
	}
	return "lines " + strings.Join(lines, ", ")
}

// Weaknesses prints a line for each, with how to fix it.
func Weaknesses(w io.Writer, found []plan.Weakness) {
	for _, f := range found {
		line := form.Note{Place: form.Place{File: f.File, Line: f.Line}, Text: label(f)}.String() + ": "
		if f.Step != "" {
			line += fmt.Sprintf("step %s: ", f.Step)
		}
		say(w, "%s%s", line, advice(f))
	}
}

// label returns the rule that found a weakness, and how much it weighs.
func label(f plan.Weakness) string {
	if f.Error {
		return "error: " + f.Rule
	}
	return f.Rule
}

// advice returns what is weak, and how to fix it.
func advice(f plan.Weakness) string {
	text := visible.Line(f.Text)
	if f.Fix != "" {
		text += "; " + f.Fix
	}
	return text
}
