// Package exit turns an error into an exit code, a line that says what is wrong, and one that says what to do.
//
//	table.go   the one table: error -> hint -> exit code; the codes, as the manual prints them
//	report.go  an error in these lines, for a person
package exit
