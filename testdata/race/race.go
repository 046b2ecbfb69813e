// Package race says which tests the race detector leaves out.
package race

import "testing"

// Skip skips a test of much text under the race detector, which makes it ten times as
// long and finds nothing in it: make test runs it without.
func Skip(tb testing.TB) {
	tb.Helper()
	if detector {
		tb.Skip("runs without the race detector")
	}
}
