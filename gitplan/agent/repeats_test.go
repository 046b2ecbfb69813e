package agent

import "testing"

// TestFingerprint: two runs with the same failure have the same fingerprint, whatever times and addresses
// they print; another failure, or fewer of them, does not.
func TestFingerprint(t *testing.T) {
	const failed = "`go test ./...` exited with 1: FAIL\n--- FAIL: TestOne (0.01s)\n    one_test.go:12: got 3\nok  \tother\t0.5s\nFAIL"
	for text, same := range map[string]bool{
		"`go test ./...` exited with 1: FAIL\n--- FAIL: TestOne (1.20s)\n    one_test.go:40: got 3\nok  \tother\t(cached)\nFAIL": true,
		"`go test ./...` exited with 1: FAIL\n--- FAIL: TestOne (0.01s)\n    one_test.go:12: got 2\nok  \tother\t0.5s\nFAIL":     false,
		"`go test ./...` exited with 1: FAIL\n--- FAIL: TestTwo (0.01s)\n    one_test.go:12: got 3\nok  \tother\t0.5s\nFAIL":     false,
	} {
		if (Fingerprint(failed) == Fingerprint(text)) != same {
			t.Errorf("%v expected of\n%s\n%s", same, Fingerprint(failed), Fingerprint(text))
		}
	}
}
