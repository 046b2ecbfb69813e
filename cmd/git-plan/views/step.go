package views

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// StepState prints what a step needs and enables, and what became of it.
func StepState(w io.Writer, co *checkout.Checkout, s Step) {
	withState := func(ids []string) string {
		var out []string
		for _, id := range ids {
			out = append(out, fmt.Sprintf("%s (%s)", id, co.Progress.Steps[id].State))
		}
		return strings.Join(out, ", ")
	}
	say(w, "state: %s", s.State)
	for _, line := range [][2]string{{"needs", withState(s.Needs)}, {"enables", withState(s.Enables)}, {"commit", visible.Short(s.Commit)}} {
		if line[1] != "" {
			say(w, "%s: %s", line[0], line[1])
		}
	}
	for i, a := range s.Sessions {
		if i > 0 && beginsAgain(s.Sessions[i-1], a) {
			say(w, "the step was reopened or planned again")
		}
		line := fmt.Sprintf("attempt %d: %s", a.Attempt, a.End)
		if who := cmp.Or(a.Agent, a.By); who != "" {
			line += " (" + visible.Line(who) + ")"
		}
		if a.Reason != "" {
			line += ": " + visible.Line(a.Reason)
		}
		if kept := strings.Split(a.Kept, "/"); len(kept) > 2 {
			line += fmt.Sprintf(" (kept: git plan attempts show %s)", visible.Line(strings.Join(kept[len(kept)-2:], "/")))
		}
		say(w, "%s", line)
	}
	if len(s.Sessions) > 0 {
		say(w, "what was done and said: git plan log %s", s.ID)
	}
}

// beginsAgain reports whether attempts are counted from one again: an attempt that was stopped is
// made again under its number.
func beginsAgain(before, now Session) bool {
	return now.Attempt < before.Attempt || now.Attempt == before.Attempt && before.End != "stopped"
}
