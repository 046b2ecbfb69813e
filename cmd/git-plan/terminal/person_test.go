package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// A number chooses a suggestion, an empty line the first one, anything else is the answer; an unanswered
// question is left to the planner.
func TestQuestionsAreAnswered(t *testing.T) {
	questions := []agent.Question{
		{Text: "Which store?", Suggested: []string{"sqlite", "files"}}, {Text: "Which port?", Suggested: []string{"80"}},
		{Text: "Which\x1b[31m name?"}, {Text: "And?"}, {Text: "How many?"},
	}
	var out bytes.Buffer
	typed := func(lines ...string) func() (string, error) {
		return func() (line string, err error) {
			if len(lines) == 0 {
				return "", io.EOF
			}
			line, lines = lines[0], lines[1:]
			return line, nil
		}
	}
	got, err := Ask(typed("2", "", "ours", "", "1"), &out, questions)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"files", "80", "ours", "", "1"}, got); d != "" {
		t.Error(d)
	}
	if s := out.String(); !strings.Contains(s, "question 1 of 5: Which store?\n  1) sqlite\n  2) files\nanswer (Enter: 1): ") || strings.Contains(s, "\x1b") {
		t.Error(s)
	}
	if got, err = Ask(typed("1"), &out, questions); err != nil || strings.Join(got, "|") != "sqlite||||" {
		t.Errorf("after the person has left: %q, %v", got, err)
	}
}
