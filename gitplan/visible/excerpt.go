package visible

import (
	"slices"
	"strings"
)

// The words of lines that say what went wrong, and how many lines around them say where.
var failureWords = []string{"error", "fail", "expected", "assert", "panic"}

const aroundFailure = 2

// Excerpt returns at most so many lines of what a failed program printed: those that say what
// went wrong, with the ones around them, or else its beginning and its end. "..." stands for
// what is left out between them.
func Excerpt(s string, most int) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	var out []string
	last := -1 // the line that was taken last
	for i, line := range lines {
		low := strings.ToLower(line)
		if !slices.ContainsFunc(failureWords, func(word string) bool { return strings.Contains(low, word) }) {
			continue
		}
		from := max(i-aroundFailure, last+1)
		if last >= 0 && from > last+1 {
			out = append(out, "...")
		}
		last = min(i+aroundFailure, len(lines)-1)
		out = append(out, lines[from:max(from, last+1)]...)
		if len(out) >= most {
			return strings.Join(out[:most], "\n")
		}
	}
	if len(out) > 0 {
		return strings.Join(out, "\n")
	}
	head := (most - 1) / 2
	out = append(slices.Clone(lines[:head]), "...")
	return strings.Join(append(out, lines[len(lines)-(most-1-head):]...), "\n")
}
