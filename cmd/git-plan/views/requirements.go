package views

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Requirements prints what has become of each requirement of a plan, and by which steps; it
// prints nothing for a plan without any.
func Requirements(w io.Writer, width int, list []status.Requirement) {
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
		terminal.Fold(w, width, 8, "%s", fmt.Sprintf("%3s [%s] %s: %s", r.ID, Marks[r.State], visible.Line(r.Text), strings.Join(by, ", ")))
	}
}

// RequirementsOf is Requirements for a run that ended.
func RequirementsOf(w io.Writer, co *checkout.Checkout) {
	if list := status.Requirements(co); list != nil {
		say(w, "requirements:")
		Requirements(w, terminal.Width(os.Stderr), list)
	}
}

// Manual returns what a person is to check, and whether they did, in one line.
func Manual(m progress.Manual) string {
	if m.Commit != "" {
		return fmt.Sprintf("[x] by hand, %d: %s  checked at %s", m.N, visible.Line(m.Text), visible.Short(m.Commit))
	}
	return fmt.Sprintf("[ ] by hand, %d: %s (git plan done --manual %d)", m.N, visible.Line(m.Text), m.N)
}

// Manuals prints what a person is to check, and what of it was.
func Manuals(w io.Writer, width int, list []progress.Manual) {
	for _, m := range list {
		terminal.Fold(w, width, 8, "    %s", Manual(m))
	}
	if len(list) > 0 {
		say(w, "")
	}
}
