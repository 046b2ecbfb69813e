package git

import "testing"

// The oldest supported git is compared by the first two numbers, whatever follows.
func TestOldestGit(t *testing.T) {
	for version, want := range map[string]bool{
		"2.31": false, "2.31.9": false, "2.39.5 (Apple Git-154)": false, "2.100.0.windows.1": false, "3.0": false, "2.45.0-rc1": false,
		"2.30.9": true, "1.99": true, "2": true, "": true, "2.9.5": true,
	} {
		if TooOld(version) != want {
			t.Errorf("%s is older than %s: %v", version, Oldest, !want)
		}
	}
}
