// Package race says which tests run with the race detector.
package race

import "testing"

// Detector reports whether this test was built with the race detector.
const Detector = detector

// Skip skips a test of long texts under the race detector, which finds nothing there and is ten times slower.
func Skip(tb testing.TB) {
	tb.Helper()
	if Detector {
		tb.Skip("runs without the race detector")
	}
}
