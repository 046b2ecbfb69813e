package visible

import (
	"strings"
	"testing"
)

// What a failed program printed is cut to what says why.
func TestExcerpt(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", ""},
		{"1 2 3 4 5 6 7 8 9", "1 2 ... 8 9"},
		{"1 2 3 FAIL 5 6 7 8 9", "2 3 FAIL 5 6"},
		{"Error: 2 3 4 5 6 7 8 9", "Error: 2 3"},
		{"1 2 3 4 5 6 7 8 failed", "7 8 failed"},
		{"error 2 3 4 5 6 7 8 panic", "error 2 3 ... 7"},
		{"assert expected 3 4 5 6 7 8", "assert expected 3 4"},
		{"--- FAIL:x x.go:46:want FAIL FAIL\tx\t0.01s exit\tstatus\t1", "--- FAIL:x x.go:46:want"},
		{"fail fail fail fail fail fail fail", "fail fail fail fail fail"},
	} {
		got := Excerpt(strings.ReplaceAll(row.text, " ", "\n"), 5)
		if want := strings.ReplaceAll(row.want, " ", "\n"); got != want {
			t.Errorf("%q: %q, want %q", row.text, got, want)
		}
	}
}

// A long stack does not push out the line that says why.
func TestTheReasonIsInTheExcerpt(t *testing.T) {
	stack := "FAIL: test_total\nTraceback (most recent call last):\n"
	for range 4 {
		stack += "  File \"case.py\", line 199, in _raiseFailure\n    raise self.failureException(msg)\n"
	}
	const why = "AssertionError: ValueError not raised by total"
	got := Excerpt(stack+why+"\n\nRan 2 tests in 0.01s\n", 10)
	if lines := strings.Split(got, "\n"); !strings.HasPrefix(got, "FAIL: test_total\n") || !strings.Contains(got, "\n...\n"+why) || len(lines) > 10 {
		t.Errorf("it is\n%s", got)
	}
}
