// Package exit turns an error into an exit code, a line that says what is wrong, and one that says what to do.
//
//	codes.go   the exit codes, as the manual prints them
//	table.go   the one table: error -> hint -> exit code
//	report.go  an error in these lines, for a person
package exit
