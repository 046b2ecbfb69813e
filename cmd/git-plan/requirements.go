package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// tellRequirements prints what has become of each requirement of a plan, and by which steps; it
// prints nothing for a plan without any.
func tellRequirements(w io.Writer, width int, list []standing.Requirement) {
	for _, r := range list {
		var by []string
		for _, s := range r.Steps {
			text := s.ID
			switch {
			case s.Commit != "" && s.State == progress.StateDone:
				text += " " + visible.Short(s.Commit)
			case s.State != progress.StateDone:
				text += " " + string(s.State)
			}
			by = append(by, text)
		}
		if by == nil {
			by = []string{"no step serves it"}
		}
		terminal.Fold(w, width, 8, "%s", fmt.Sprintf("%3s [%s] %s: %s", r.ID, marks[r.State], visible.Line(r.Text), strings.Join(by, ", ")))
	}
}

// tellRequirementsOf is tellRequirements for a run that ended.
func tellRequirementsOf(w io.Writer, co *checkout.Checkout) {
	if list := standing.Requirements(co); list != nil {
		say(w, "requirements:")
		tellRequirements(w, terminal.Width(os.Stderr), list)
	}
}
