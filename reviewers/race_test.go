package reviewers

import "testing"

// withoutRace skips a test of much text under the race detector, which makes it ten
// times as long and finds nothing in it: make test runs it without.
func withoutRace(tb testing.TB) {
	tb.Helper()
	if raceDetector {
		tb.Skip("runs without the race detector")
	}
}
