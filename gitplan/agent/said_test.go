package agent

import (
	"strings"
	"testing"
)

// A character that nobody sees leaves no half of a credential in what a session reports.
func TestNoHalfOfACredentialIsReported(t *testing.T) {
	token := "gh" + "p_" + "a8Kd03LmQz7VxTn2" + "RbYc5WjFs9HuEg1PqOiX"
	for _, at := range []int{2, 20, 39} {
		r := Result{Summary: "used " + token[:at] + "\u200b" + token[at:], Subject: token[:at] + "\u00ad" + token[at:]}.tidy()
		if r.Summary != "used [redacted]" || r.Subject != "[redacted]" {
			t.Errorf("%d: %q %q", at, r.Summary, r.Subject)
		}
	}
	if plain := "a fami\u200bly"; redact(plain, "") != plain || strings.Contains(redact("ab\u200bcdefghij", "abcdefghij"), "cdef") {
		t.Error(redact(plain, ""), redact("ab\u200bcdefghij", "abcdefghij"))
	}
}
