package agent

import (
	"strings"
	"testing"
)

// An invisible character does not leave half of a credential in a session's report.
func TestNoPartOfACredentialIsReported(t *testing.T) {
	token := "gh" + "p_" + "a8Kd03LmQz7VxTn2" + "RbYc5WjFs9HuEg1PqOiX"
	for _, at := range []int{2, 20, 39} {
		r := Result{Summary: "used " + token[:at] + "\u200b" + token[at:], Subject: token[:at] + "\u00ad" + token[at:]}.Tidy()
		if r.Summary != "used [redacted]" || r.Subject != "[redacted]" {
			t.Errorf("%d: %q %q", at, r.Summary, r.Subject)
		}
	}
	if plain := "a fami\u200bly"; Mask(plain, "") != plain || strings.Contains(Mask("ab\u200bcdefghij", "abcdefghij"), "cdef") {
		t.Error(Mask(plain, ""), Mask("ab\u200bcdefghij", "abcdefghij"))
	}
}

// TestMask: keys of any form, and no lookalikes.
func TestMask(t *testing.T) {
	const key = "local-secret-key"
	for in, want := range map[string]string{
		"the key " + key + ".":                   "the key [redacted].",
		"sk-proj-abc123DEF456, ghp_0123456789ab": "[redacted], [redacted]",
		"Incorrect: sk-ab*****cdef":              "Incorrect: [redacted]",
		"task-list-2024-10 sk-learn sk-1":        "task-list-2024-10 sk-learn sk-1",
	} {
		if got := Mask(in, key); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
	if got := Mask("none of this", "none"); got != "none of this" {
		t.Errorf("a placeholder of a key was masked: %q", got)
	}
}

// A program gets its session's variables: empty ones are unset, and earlier values are replaced.
func TestVariablesOfASession(t *testing.T) {
	s := Session{ID: "s1", Role: Reviewer, Env: []string{"PATH=/bin", "GIT_PLAN_STEP=of a plan outside"}, Review: Review{Head: "h3ad"}}
	got := strings.Join(s.Environ([2]string{"MORE", "one=two"}, [2]string{"NONE", ""}), "\n")
	if want := "PATH=/bin\nGIT_PLAN_SESSION=s1\nGIT_PLAN_ROLE=reviewer\nGIT_PLAN_ATTEMPT=0\nGIT_PLAN_HEAD=h3ad\nGIT_PLAN_ROUND=0\nMORE=one=two"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for printed, want := range map[string]string{"": "", " \n": "", "first\nno luck\n": ": no luck"} {
		if got := LastLine(printed); got != want {
			t.Errorf("%q: %q, want %q", printed, got, want)
		}
	}
}
