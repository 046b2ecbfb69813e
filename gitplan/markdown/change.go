package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Span is a part of the source, from an offset up to, not including, another.
type Span struct{ From, To int }

// Edit replaces a part of the source.
type Edit struct {
	Span
	Text string
}

// Splice applies edits that do not overlap; the rest stays byte for byte.
func Splice(src []byte, edits ...Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	var out bytes.Buffer
	out.Grow(len(src) + 64)
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.From])
		out.WriteString(e.Text)
		at = e.To
	}
	out.Write(src[at:])
	return out.Bytes()
}

// LineEnd returns what ends the lines of a text, judged by the first.
func LineEnd(src []byte) string {
	if at := bytes.IndexByte(src, '\n'); at > 0 && src[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// ToLF ends lines with LF. Before an LF, any number of CRs belongs to the line
// end: files that were converted twice have two.
func ToLF(s string) string {
	if !strings.Contains(s, "\r\n") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	return strings.Join(lines, "\n")
}

// With returns the edit that replaces a part of the source by a text.
func (s Span) With(text string) Edit { return Edit{s, text} }
