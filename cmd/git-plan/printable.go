package main

import (
	"fmt"
	"strings"
)

// printable keeps line ends and tabs, and shows what could drive a terminal or
// hide text from a reader: control characters, lone carriage returns, and
// invisible or direction-changing letters, all as \u escapes.
func printable(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			b.WriteRune(r)
		case !visible(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// visible is false for letters that a terminal obeys or does not show.
func visible(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0:
		return false
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0xfeff:
		return false
	}
	return true
}

// clean makes a text fit for one line of a terminal.
func clean(s string) string {
	return printable(strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(s))
}
