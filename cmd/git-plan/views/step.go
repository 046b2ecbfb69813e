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
	for _, a := range s.Sessions {
		line := fmt.Sprintf("attempt %d: %s", a.Attempt, a.End)
		if who := cmp.Or(a.Agent, a.By); who != "" {
			line += " (" + visible.Line(who) + ")"
		}
		if a.Reason != "" {
			line += ": " + visible.Line(a.Reason)
		}
		say(w, "%s", line)
	}
	if len(s.Sessions) > 0 {
		say(w, "what was done and said: git plan log %s", s.ID)
	}
}
