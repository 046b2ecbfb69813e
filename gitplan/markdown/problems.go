package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a plan's text.
type Problem struct {
	Line    int    // from 1
	Rule    string // its stable name, as git plan lint says it
	Message string
}

func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Message) }

// ParseError is everything that is wrong with a plan's text, in line order.
type ParseError struct{ Problems []Problem }

func (e *ParseError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Problem notes something wrong.
func (d *Document) Problem(line int, rule, message string) {
	d.Problems = append(d.Problems, Problem{line, rule, message})
}

// Warn notes something that is accepted but perhaps not meant.
func (d *Document) Warn(line int, format string, args ...any) {
	d.Warnings = append(d.Warnings, Problem{line, "form", fmt.Sprintf(format, args...)})
}

// InOrder sorts problems by line; those of one line stay as they were found.
func InOrder(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return problems
}

// Shown returns a piece of text as a message may show it: short, and without bytes that a
// terminal would obey.
func Shown(s string) string {
	const longest = 60 // runes
	if r := []rune(s[:min(len(s), 4*(longest+1))]); len(r) > longest {
		s = string(r[:longest]) + "..."
	}
	s = strconv.Quote(s)
	return strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
}

// Wrong returns a problem in a line, by the stable name of the rule that found it.
func Wrong(line int, rule, message string) Problem { return Problem{line, rule, message} }
