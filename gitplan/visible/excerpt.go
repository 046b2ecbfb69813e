package visible

import (
	"slices"
	"strings"
	"time"
)

// The words of lines that say what went wrong, and how many lines around them say where.
var failureWords = []string{"error", "fail", "expected", "assert", "panic"}

const aroundFailure = 2

// Excerpt returns at most so many lines of what a failed program printed: those that say what
// went wrong, with the ones around them, or else its beginning and its end. "..." stands for
// what is left out between them. The line that is the reason, see Reason, is among them.
func Excerpt(s string, most int) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	if more := slices.DeleteFunc(slices.Clone(lines), onlyFailed); slices.ContainsFunc(more, saysFailure) {
		lines = more
	}
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	why := slices.IndexFunc(lines, saysWhy)
	var out []string
	last := -1 // the line that was taken last
	for i, line := range lines {
		if !saysFailure(line) {
			continue
		}
		from := max(i-aroundFailure, last+1)
		if last >= 0 && from > last+1 {
			out = append(out, "...")
		}
		last = min(i+aroundFailure, len(lines)-1)
		out = append(out, lines[from:max(from, last+1)]...)
		if len(out) >= most {
			return strings.Join(withReason(out[:most], last-(len(out)-most), lines, why), "\n")
		}
	}
	if len(out) > 0 {
		return strings.Join(out, "\n")
	}
	head := (most - 1) / 2
	out = append(slices.Clone(lines[:head]), "...")
	return strings.Join(append(out, lines[len(lines)-(most-1-head):]...), "\n")
}

// withReason returns an excerpt, whose last line is one of lines, with the end replaced by the reason
// if that comes later: a long stack above it is not what people look for.
func withReason(excerpt []string, last int, lines []string, why int) []string {
	near := lines[max(why, 0):min(why+aroundFailure, len(lines))]
	if why <= last || len(near)+1 >= len(excerpt) {
		return excerpt
	}
	return slices.Concat(excerpt[:len(excerpt)-len(near)-1], []string{"..."}, near)
}

func saysFailure(line string) bool {
	low := strings.ToLower(line)
	return slices.ContainsFunc(failureWords, func(word string) bool { return strings.Contains(low, word) })
}

// onlyFailed reports whether a line says no more than that something failed, as go test ends.
func onlyFailed(line string) bool {
	words := strings.Fields(line)
	switch {
	case len(words) == 1:
		return words[0] == "FAIL"
	case len(words) == 3 && words[0] == "FAIL":
		took, err := time.ParseDuration(words[2])
		return err == nil && took >= 0
	}
	return len(words) == 3 && words[0] == "exit" && words[1] == "status"
}
