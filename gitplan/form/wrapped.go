package form

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// Unwrapped returns a text without the code fence that models put around the whole of a
// plan, and how many lines are above it; none if there is no such fence. Fences inside may
// look like its end, so the last line closes it. A text that is a plan is left alone.
func Unwrapped(text []byte) (inner []byte, above int) {
	begin := strings.TrimLeft(string(text), " \t\r\n")
	first, rest, _ := strings.Cut(strings.TrimRight(begin, " \t\r\n"), "\n")
	info := strings.TrimLeft(first, "`")
	if strings.HasPrefix(first, "~") {
		info = strings.TrimLeft(first, "~")
	}
	fence := first[:len(first)-len(info)]
	at := strings.LastIndexByte(rest, '\n') + 1
	last := strings.TrimSpace(rest[at:])
	if len(fence) < 3 || last != strings.Repeat(fence[:1], max(len(fence), len(last))) {
		return nil, 0
	}
	switch strings.ToLower(strings.TrimSpace(info)) {
	case "", "md", "markdown":
		if !isPlan(text) {
			return []byte(rest[:at]), 1 + bytes.Count(text[:len(text)-len(begin)], []byte("\n"))
		}
	}
	return nil, 0
}

// InItsLines returns what was in a fence, each line with the number that it had: empty lines
// replace those above, after the line that front matter begins with.
func InItsLines(inner []byte, above int) []byte {
	empty := bytes.Repeat([]byte("\n"), above)
	first, rest, _ := bytes.Cut(inner, []byte("\n"))
	if markdown.IsFence(first) {
		return slices.Concat(first, []byte("\n"), empty, rest)
	}
	return slices.Concat(empty, inner)
}

// importWrapped is Import of a text that may be wrapped in a fence as a whole.
func importWrapped(name string, text []byte, form Form) (*Imported, error) {
	inner, above := Unwrapped(text)
	if above == 0 {
		return Import(name, text, form)
	}
	in, err := Import(name, InItsLines(inner, above), form)
	if err != nil {
		return in, err
	}
	in.Notes = append([]Note{{Line: above, Text: "the code fence around the whole is left out"}}, in.Notes...)
	if in.From == nil { // it stays as it is
		in.Text = inner
		for line := range bytes.Count(inner, []byte("\n")) {
			in.From = append(in.From, origin{from: Place{Line: line + above + 1}, step: -1, line: -1})
		}
	}
	return in, nil
}
