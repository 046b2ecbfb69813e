package views

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Candidates prints plans side by side: what speaks against each, and what only it names.
func Candidates(w io.Writer, width int, list []planner.Candidate) error {
	best := planner.Best(list)
	var rows [][]string
	for _, o := range list {
		mark, s := "  ", o.Score
		if o.N == best.N {
			mark = "* "
		}
		served := "none"
		if s.Required > 0 {
			served = fmt.Sprintf("%d of %d", s.Required-s.Uncovered, s.Required)
		}
		rows = append(rows, []string{mark + strconv.Itoa(o.N), strconv.Itoa(s.Points()), strconv.Itoa(s.Weak), served,
			strconv.Itoa(s.Steps), strconv.Itoa(s.Deep), strconv.Itoa(s.Wide), whoPlanned(o)})
	}
	head := []string{"  plan", "points", "weak", "requirements", "steps", "in a row", "at once", "planner"}
	if err := terminal.Table(w, width, head, rows); err != nil {
		return err
	}
	for _, o := range list {
		terminal.Fold(w, width, 3, "%d: %s", o.N, visible.OneLine(o.Plan.Title, 120))
		for i, s := range o.Plan.Steps {
			terminal.Fold(w, width, 8, "    %d. %s", i+1, visible.OneLine(s.Title, 120))
		}
		if len(list) == 1 {
			return nil
		}
		files, commands := o.Own(list)
		ownOf(w, width, "files", files)
		ownOf(w, width, "commands", commands)
	}
	say(w, "the fewer points the better: each step is one, and each in a row; a weakness is three, a requirement without a step ten")
	return nil
}

// whoPlanned names the agent or model of a candidate, and its temperature.
func whoPlanned(o planner.Candidate) string {
	who := visible.OneLine(cmp.Or(o.Who, "as set"), 24)
	if o.At != nil {
		who += fmt.Sprintf(" at %g", *o.At)
	}
	return who
}

// maxOwn is how many of the files and commands that only one plan names are shown.
const maxOwn = 8

func ownOf(w io.Writer, width int, what string, names []string) {
	if len(names) == 0 {
		return
	}
	var shown []string
	for _, name := range names[:min(len(names), maxOwn)] {
		shown = append(shown, visible.OneLine(name, 120))
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	terminal.Fold(w, width, 8, "    only here, %s: %s", what, strings.Join(shown, ", "))
}
