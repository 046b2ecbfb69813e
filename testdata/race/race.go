// Package race says which tests run with the race detector, and which make test leaves to make check.
package race

import (
	"os"
	"testing"
)

// Detector reports whether this test was built with the race detector.
const Detector = detector

// Skip skips a test of much text under the race detector, which makes it ten times as
// long and finds nothing in it.
func Skip(tb testing.TB) {
	tb.Helper()
	if Detector {
		tb.Skip("runs without the race detector")
	}
}

// Slow skips a test in make test, which is to end within six minutes, and under the race detector
// unless RACE=all: make check runs it by its name.
func Slow(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("make check runs it")
	}
	if Detector && os.Getenv("RACE") != "all" {
		Skip(tb)
	}
}
