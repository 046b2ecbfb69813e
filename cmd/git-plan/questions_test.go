package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// A number takes a suggestion, an empty line the first one, anything else is
// the answer; nobody there is an error.
func TestQuestionsAreAnswered(t *testing.T) {
	questions := []agent.Question{
		{Text: "Which store?", Suggested: []string{"sqlite", "files"}}, {Text: "Which port?", Suggested: []string{"80"}},
		{Text: "Which\x1b[31m name?"}, {Text: "And?"},
	}
	var out bytes.Buffer
	got, err := askAll(strings.NewReader("2\n\nours\n\n"), &out, questions)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"files", "80", "ours", "(no answer: decide)"}, got); d != "" {
		t.Error(d)
	}
	if s := out.String(); !strings.Contains(s, "question 1 of 4: Which store?\n  1) sqlite\n  2) files\nanswer: ") || strings.Contains(s, "\x1b") {
		t.Error(s)
	}
	if _, err := askAll(strings.NewReader("1\n"), &out, questions); err == nil {
		t.Error("nobody was there, and that was no error")
	}
}
