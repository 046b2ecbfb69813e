package checked

import (
	"slices"
	"strings"
)

// Tree reads a file of one side of a change; false if it does not exist. A folder exists,
// and its text is nil.
type Tree func(path string) ([]byte, bool)

// part is a piece of a file that decides what a check does.
type part struct {
	file  string
	what  string
	kind  kind
	lines []string
	// checks says that the name by which a program is run says that it checks.
	checks bool
}

// program reports whether the piece may be the work itself.
func (p *part) program() bool { return p.kind == script && !p.checks }

type kind int

const (
	recipe   kind = iota // how something is made: the first line are prerequisites
	variable             // each line is what one assignment says
	setting              // lines in any order
	script               // lines of a program
	whole                // lines, in a file that is no program
)

func set(lines []string) map[string]bool {
	out := make(map[string]bool, len(lines))
	for _, l := range lines {
		out[l] = true
	}
	return out
}

// lines returns the lines of a text that mean something: without comments and blank ones,
// and with single blanks between words.
func lines(text string, remarks ...string) (out []string) {
	for _, l := range strings.Split(text, "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l != "" && !slices.ContainsFunc(remarks, func(r string) bool { return strings.HasPrefix(l, r) }) {
			out = append(out, l)
		}
	}
	return out
}
