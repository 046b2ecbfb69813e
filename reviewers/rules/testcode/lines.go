package testcode

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// JavaScript has the extensions of files with JavaScript or TypeScript in them, separated by spaces.
const JavaScript = "js jsx ts tsx mjs cjs mts cts vue svelte"

// isOneOf reports whether an extension is one of some, which are separated by spaces.
func isOneOf(ext, some string) bool { return slices.Contains(strings.Fields(some), ext) }

var commentLine = pattern.Of(`^\s*(?://|#|/\*|\*|--|;|<!--|REM\b|"""|''')`)

// IsComment reports whether a line is, or begins, a comment in any language.
func IsComment(line string) bool { return commentLine.MatchString(line) }

// Indent counts leading blanks, a tab as eight.
func Indent(s string) int {
	n := 0
	for _, r := range s {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 8
		default:
			return n
		}
	}
	return n
}
