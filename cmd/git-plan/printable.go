package main

import (
	"os"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// printable is a text of others' as a terminal may show it: lines stay lines.
func printable(s string) string { return visible.Text(s) }

// clean makes a text fit for one line of a terminal.
func clean(s string) string { return visible.Line(s) }

// readable is such a text for a person who is to approve it: nothing is out of sight
// behind long runs of blanks.
func readable(s string) string { return visible.Blanks(visible.Text(s)) }

// onScreen is a text as a person reads it on a terminal; what is piped keeps its blanks.
func onScreen(s string) string {
	if isTerminal(os.Stdout) {
		return readable(s)
	}
	return printable(s)
}
