package main

import (
	"github.com/git-plan/git-plan/gitplan/visible"
)

// printable is a text of others' as a terminal may show it: lines stay lines.
func printable(s string) string { return visible.Text(s) }

// clean makes a text fit for one line of a terminal.
func clean(s string) string { return visible.Line(s) }
