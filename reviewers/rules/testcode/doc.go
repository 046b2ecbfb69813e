// Package testcode reads the code of tests, in many languages and without parsing it: which tests a
// file defines, and what in them proves nothing. It knows nothing of changes and rules.
//
//	tests.go      Of: the tests of a file; Asserts: whether a line proves something
//	lines.go      comments and indentation, on which all of it goes
//	emptied.go    Emptied: a file that has kept only what was around its tests
//	returns.go    Returning: tests that end before they do anything; always.go conditions that decide nothing
//	skips.go      Skips: how tests are skipped
//	grade.go      GradeOf: how much an assertion proves
//	ordinary.go   Ordinary: tests that became functions that nothing calls (functions.go)
//	unloaded.go   Unloaded: tests that Python's unittest no longer loads
//	unbuilt.go    Unbuilt: files of Go tests that are no longer built
//
// It reads code as formatters leave it: a body is what is indented deeper than its first line.
package testcode

// Found is what was found in a file of tests.
type Found struct {
	Line  int    // from 1; 0 if it is about the whole file
	Quote string // that line
	Name  string // of the test, if more than the line is meant
	Title string // what is wrong, in one line
	Never bool   // no set-up of a run would make it right
}
