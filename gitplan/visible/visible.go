package visible

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Line returns a text as one line of a message: ends of lines and tabs become
// blanks, and what is hidden is escaped.
func Line(s string) string { return Text(blanks.Replace(s)) }

var blanks = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")

// Text returns a text of several lines, with what is hidden in it escaped as in source
// code: \u202e, \U000e0061.
func Text(s string) string { return replaced(s, escape) }

// Without returns a text without what is hidden in it, for what is kept to be compared
// and was never approved: an answer of a model, a quote.
func Without(s string) string { return replaced(s, func(rune) string { return "" }) }

// Cut shortens a line to at most max bytes, between two characters.
func Cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

func escape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// replaced returns s with what is hidden replaced; s itself if nothing is hidden.
func replaced(s string, by func(rune) string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	at := 0
	for i, r := range Hidden(s) {
		b.WriteString(s[at:i] + by(r))
		at = i + utf8.RuneLen(r)
	}
	if at == 0 {
		return s
	}
	b.WriteString(s[at:])
	return b.String()
}
