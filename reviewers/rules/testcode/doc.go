// Package testcode reads the code of tests, in many languages and without parsing it: which tests a
// file defines, and what in them proves nothing. It knows nothing of changes and rules.
//
//	tests.go    Of: the tests of a file; Asserts: whether a line proves something; comments and indentation
//	emptied.go  Emptied: a file that has kept only what was around its tests
//	skips.go    Skips: how tests are skipped; Returns: how one ends before it does anything
//	grade.go    GradeOf: how much an assertion proves
//
// It reads code as formatters leave it: a body is what is indented deeper than its first line.
package testcode
