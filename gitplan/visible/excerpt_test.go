package visible

import (
	"strings"
	"testing"
)

// The output of a failed program is cut to the part that says why.
func TestExcerpt(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", ""},
		{"1 2 3 4 5 6 7 8 9", "5 6 7 8 9"},
		{"Error:_no 2 3 4 5 6 7 8 9", "Error:_no 2 ... 8 9"},
		{"1 2 3 #_Error:_no 5 6 7 8 9 #_tests_2 #_pass_1", "3 #_Error:_no 5 ... 9"},
		{"1 2 3 4 5 6 7 8 fatal:_no", "5 6 7 8 fatal:_no"},
	} {
		got := Excerpt(strings.NewReplacer(" ", "\n", "_", " ").Replace(row.text), 5)
		if want := strings.NewReplacer(" ", "\n", "_", " ").Replace(row.want); got != want {
			t.Errorf("%q: %q, want %q", row.text, got, want)
		}
	}
}

// A long stack trace does not push out the line that says why.
func TestReasonIsInTheExcerpt(t *testing.T) {
	stack := "FAIL: test_total\nTraceback (most recent call last):\n"
	for range 4 {
		stack += "  File \"case.py\", line 199, in _raiseFailure\n    raise self.failureException(msg)\n"
	}
	const why = "AssertionError: ValueError not raised by total"
	got := Excerpt(stack+why+"\n\nRan 2 tests in 0.01s\n", 10)
	if lines := strings.Split(got, "\n"); !strings.Contains(got, why) || len(lines) > 10 {
		t.Errorf("it is\n%s", got)
	}
}
