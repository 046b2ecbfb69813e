// Package visible decides which text is safe to show, and escapes the rest so that it
// can be seen. Nothing else in this program may decide that: if one place takes for text
// what another hides, a person comes to approve what they never saw.
//
// A character is hidden if a terminal obeys it, or draws nothing for it: control
// characters, what changes the direction of text, what Unicode calls default
// ignorable (tag letters, fillers, joiners, variation selectors), line and
// paragraph separators, the blank of braille, private use and noncharacters.
// Some of these belong to ordinary text if they follow what they change:
// joiners in the scripts and emoji that need them, the selector behind an emoji or
// an ideograph, the tags of three flags. There, and only there, they are text.
//
//	visible.go   Line, Text and Without: three ways to write a text
//	hidden.go    Hidden: which of its characters are hidden, and where
//	kinds.go     what reorders text, and what no font draws, for rules about code
//	context.go   where a joiner or a selector is text
//	describe.go  what is hidden, in words
//	line.go      OneLine, FirstLine, Joined, LastLines, Few and Short: what fits into a message
//	excerpt.go   Excerpt: the lines of what a failed program printed that say why
//	reason.go    Reason: the one line of it that says why; RanNothing: the one that says it ran no test
//	blanks.go    long runs of blanks, as a count
//	latin.go     letters of other scripts that are drawn like those of ASCII
//	workflow.go  a text as part of a command to GitHub's runner
//	shell.go     a name as a word of a command that a person may paste
package visible
