// Package exit is how git plan ends: an exit code, and a line each for what is wrong and what to do.
//
//	codes.go   the exit codes, as the manual prints them
//	table.go   the one table: error -> hint -> exit code
//	report.go  an error in these lines, for a person
package exit
