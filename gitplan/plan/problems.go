package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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

// InOrder sorts problems by line; those of one line keep their order.
func InOrder(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return problems
}

// Shown returns a text as a message may show it: short, and without what a terminal would obey.
func Shown(s string) string {
	const longest = 60 // runes
	if r := []rune(s[:min(len(s), 4*(longest+1))]); len(r) > longest {
		s = string(r[:longest]) + "..."
	}
	s = strconv.Quote(s)
	return strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
}

// TextProblems returns what makes a file no text, or a text with an unresolved conflict.
func TextProblems(src []byte) []Problem {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(src, []byte(mark)) {
			return []Problem{{1, "encoding", "the file is UTF-16: save it as UTF-8"}}
		}
	}
	const most = 20 // lines named; a binary file has no end of them
	var out []Problem
	clean := utf8.Valid(src) && bytes.IndexByte(src, 0) < 0 && bytes.IndexByte(src, '\r') < 0
	for n, rest := 1, src; !clean && len(rest) > 0 && len(out) < most; n++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if bytes.IndexByte(line, 0) >= 0 {
			out = append(out, Problem{n, "encoding", "a NUL byte: remove it, or save the file as UTF-8"})
		}
		if !utf8.Valid(line) {
			out = append(out, Problem{n, "encoding", "invalid UTF-8: save the file as UTF-8"})
		}
		if bytes.IndexByte(bytes.TrimRight(line, "\r"), '\r') >= 0 { // a person would read another text than the parser
			out = append(out, Problem{n, "encoding", "a carriage return by itself, which ends a line for some readers of Markdown only: remove it"})
		}
	}
	return append(out, conflicts(src)...)
}

// conflicts finds the three markers of a merge conflict, in order, at the start of lines.
func conflicts(src []byte) []Problem {
	var out []Problem
	if !bytes.Contains(src, []byte("<<<<<<<")) {
		return nil
	}
	began, parted := 0, false
	for n, rest := 1, src; len(rest) > 0; n++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		switch {
		case isMarker(line, '<'):
			began, parted = n, false
		case began > 0 && isMarker(line, '='):
			parted = true
		case parted && isMarker(line, '>'):
			out = append(out, Problem{began, "conflict", fmt.Sprintf("an unresolved conflict, down to line %d: keep one side and remove its markers", n)})
			began, parted = 0, false
		}
	}
	return out
}

func isMarker(line []byte, c byte) bool {
	const width = 7 // git's default conflict-marker-size
	line = bytes.TrimRight(line, "\r")
	return len(line) >= width && bytes.Count(line[:width], []byte{c}) == width && (len(line) == width || line[width] == ' ')
}
