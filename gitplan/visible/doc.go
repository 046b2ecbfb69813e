// Package visible decides which text is safe to show, and escapes the rest so that it
// can be seen. Nothing else in this program may decide that: if one place takes for text
// what another hides, a person comes to approve what they never saw.
//
// A character is hidden if a terminal obeys it, or draws nothing for it: control
// characters, what changes the direction of text, what Unicode calls default
// ignorable (tag letters, fillers, joiners, variation selectors), line and
// paragraph separators, the blank of braille, private use and noncharacters. A joiner or
// selector right behind a letter or symbol that it can change is text.
//
//	visible.go   Line, Text and Without: three ways to write a text; Blanks, which counts long runs of
//	             blanks; letters of other scripts that are drawn like those of ASCII
//	hidden.go    Hidden: which of its characters are hidden, and where; Describe, in words;
//	             Reorders and Ignorable, for rules about code
//	line.go      OneLine, FirstLine, Joined, LastLines, Few and Short: what fits into a message
//	reason.go    Reason, Excerpt: what a failed program printed that says why; RanNothing: that it ran no test
//	pattern.go   regular expressions that are compiled when they are used first
//	shell.go     a name as a word of a command that a person may paste
package visible
