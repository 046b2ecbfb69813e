// Package visible decides which text is safe to show, and escapes the rest. Nothing else in this program may
// decide that: otherwise a person comes to approve what they never saw.
//
// A character is hidden if a terminal obeys it, or draws nothing for it: control characters, what changes the
// direction of text, Unicode's default ignorables, separators of lines and paragraphs, the blank of braille,
// private use and noncharacters. A joiner or selector behind a letter or symbol that it can change is text.
//
//	visible.go   Line, Text and Without: three ways to write a text; letters that look like those of ASCII;
//	             what fits into a message; which lines are most like others; a name as a word of a command;
//	             regular expressions that are compiled when they are used first
//	hidden.go    Hidden: which characters are hidden; Describe, in words; Reorders, Ignorable, for rules about code
//	reason.go    what a failed program printed that says why
package visible
