package hooks

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Decision says whether git must stop, and what the person reads, line by line, with
// nothing in it that a terminal would obey.
type Decision struct {
	Stop  bool
	Lines []string
}

func (d *Decision) say(format string, a ...any) {
	d.Lines = append(d.Lines, fmt.Sprintf(format, a...))
}

// add appends another decision: git stops if either says so.
func (d *Decision) add(other Decision) {
	d.Stop, d.Lines = d.Stop || other.Stop, append(d.Lines, other.Lines...)
}

// maxListed is how many findings of a kind are listed for each ref.
const maxListed = 10

// list says the first of lines, and how many more there are.
func (d *Decision) list(name string, lines []string) {
	for i, l := range lines {
		if i == maxListed {
			d.say("%s: and %d more: git plan review --no-fix", name, len(lines)-i)
			return
		}
		d.say("%s: %s", name, l)
	}
}

// printable returns a text that others wrote as one line of at most 200 characters,
// safe to show.
func printable(s string) string {
	if runes := []rune(s); len(runes) > 200 {
		s = string(runes[:200]) + "…"
	}
	return visible.Line(s)
}
