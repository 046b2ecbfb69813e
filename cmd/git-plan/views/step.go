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
		if again := BeginsAgain(s.Sessions, i); again != "" {
			say(w, "%s", again)
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
		if a.Answer != "" {
			say(w, "%s", visible.Line(checkout.Answered+a.Answer))
		}
	}
	if len(s.Sessions) > 0 {
		say(w, "what was done and said: git plan log %s", s.ID)
	}
}

// BeginsAgain says that attempts are counted from one again at the i-th of them; "" if they are not: an
// attempt that was stopped is made again under its number.
func BeginsAgain(attempts []Session, i int) string {
	if i == 0 {
		return ""
	}
	before, now := attempts[i-1], attempts[i]
	if now.Attempt < before.Attempt || now.Attempt == before.Attempt && before.End != "stopped" {
		return "the step was reopened or planned again"
	}
	return ""
}
