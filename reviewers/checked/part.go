package checked

import (
	"slices"
	"strings"
)

// Tree reads a file of one side of a change; false if it does not exist. A folder exists, with a
// nil text.
type Tree func(path string) ([]byte, bool)

// part is a piece of a file that decides what a check does.
type part struct {
	file  string
	what  string
	kind  kind
	lines []string
	// checks says that the program's name means that it checks.
	checks bool
}

// program reports whether the piece may be the work itself.
func (p *part) program() bool { return p.kind == script && !p.checks }

type kind int

const (
	recipe   kind = iota // how something is made: its first line has the prerequisites
	variable             // each line is what one assignment says
	setting              // lines in any order
	script               // lines of a program
	whole                // lines of a file that is not a program
)

func set(lines []string) map[string]bool {
	out := make(map[string]bool, len(lines))
	for _, l := range lines {
		out[l] = true
	}
	return out
}

// lines returns the meaningful lines of a text: without comments and blank ones, and with single
// blanks between words.
func lines(text string, remarks ...string) (out []string) {
	for _, l := range strings.Split(text, "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l != "" && !slices.ContainsFunc(remarks, func(r string) bool { return strings.HasPrefix(l, r) }) {
			out = append(out, l)
		}
	}
	return out
}
