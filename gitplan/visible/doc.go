// Package visible decides which text is safe to show, and escapes the rest. Nothing else in this program may
// decide that: otherwise a person comes to approve what they never saw.
//
// A character is hidden if a terminal obeys it, or draws nothing for it: control characters, what changes the
// direction of text, Unicode's default ignorables, separators of lines and paragraphs, the blank of braille,
// private use and noncharacters. A joiner or selector behind a letter or symbol that it can change is text.
//
//	visible.go   Line, Text and Without: a text on one line, on several, and for comparisons; letters that look like
//	             ASCII; shortened texts; similar lines; words quoted for a shell; regular expressions compiled on first use
//	hidden.go    Hidden: which characters are hidden; Describe, in words; Reorders, Ignorable, for rules about code
//	reason.go    the reason of a failure, and whether tests ran, in what a program printed
package visible
