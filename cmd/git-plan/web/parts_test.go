package web

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// A finding is shown with the code around it; what was fixed since, only with what it quoted.
func TestAround(t *testing.T) {
	file := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}
	code := around(file, finding.Finding{Line: 6, Quote: "six\nseven"})
	if len(code) != 7 || code[0].N != 2 || !code[4].Quoted || !code[5].Quoted || code[6].Quoted {
		t.Errorf("%+v", code)
	}
	for _, gone := range []finding.Finding{{Line: 6, Quote: "was here"}, {Line: 60, Quote: "was here"}} {
		if code := around(file, gone); len(code) != 1 || code[0].Text != "was here" || code[0].N != 0 {
			t.Errorf("%+v", code)
		}
	}
}

func TestRounds(t *testing.T) {
	r := roundOf(ledger.Round{N: 2, Head: "0123456789abcdef", Files: 3, Blocking: []string{"x"},
		Reviewers: []ledger.Reviewed{{Name: "quality", Covered: []string{"a", "b"}}, {Name: "tests", Incomplete: "too late"}},
		Verifier:  &ledger.Reviewed{Agent: "claude", Incomplete: "no"},
		Fix:       &ledger.FixRecord{Head: "fedcba9876543210", Status: "done", Reason: "for a reason"}})
	if r.Reviewers[0].Said != "2 of 3 files, findings: 0" || r.Reviewers[1].Said != "no answer: too late" || r.Verifier != "claude: no answer: no" || r.Fixed != "committed fedcba9876: for a reason" {
		t.Errorf("%+v", r)
	}
	if rank(Finding{Status: "fixed"}) < rank(Finding{Status: "open"}) || rank(Finding{Blocks: true, Status: "confirmed"}) != 0 {
		t.Error("what blocks comes first")
	}
}

func TestWhatANoticeSays(t *testing.T) {
	failed := 1
	for want, n := range map[string]journal.Notice{
		"executor: edit a.go":                                {Kind: journal.SessionTool, Role: "executor", Command: "edit", Text: "a.go"},
		"executor: run: make":                                {Kind: journal.SessionStart, Role: "executor", Command: "make"},
		"reviewer quality: reviewer quality (claude) begins": {Kind: journal.SessionStart, Role: "reviewer", Agent: "claude", Reviewer: "quality"},
		": check: go test ./...":                             {Kind: journal.CheckStart, Command: "go test\n./..."},
		": check failed with 1: go test ./..":                {Kind: journal.CheckEnd, Command: "go test ./..", ExitCode: &failed},
		"executor: ":                                         {Kind: journal.SessionUsage, Role: "executor"},
	} {
		c := callOf(n)
		if got := c.Who + ": " + c.Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What sessions do is kept up to a bound.
func TestCallsAreBounded(t *testing.T) {
	w := &hub{}
	tool := func(step, text string) journal.Notice {
		return journal.Notice{Kind: journal.SessionTool, Role: "executor", Step: step, Text: text}
	}
	for range mostCalls * 2 {
		w.call(tool("a", "read"))
	}
	if len(w.calls) != mostCalls || w.calls[mostCalls-1].N != 2*mostCalls {
		t.Errorf("%d calls", len(w.calls))
	}
}

func TestLinesOfADiff(t *testing.T) {
	for text, want := range map[string]string{"+x": "add", "-x": "del", "@@ -1 +1 @@": "hunk", " x": "", "diff --git a b": "file"} {
		if got := kindOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Of what is long the end is shown, where most programs say why they failed, in whole lines.
func TestEnds(t *testing.T) {
	long := "it begins\n" + strings.Repeat("a line in the middle\n", 1000) + "the reason\n"
	shown := ends(long)
	if !strings.HasPrefix(shown, "... 17") || !strings.HasSuffix(shown, "middle\nthe reason\n") || len(shown) > mostText+50 {
		t.Errorf("%q", shown)
	}
	if ends("short\n") != "short\n" || !utf8.ValidString(ends(strings.Repeat("ä", mostText))) {
		t.Error("what is short is whole, and characters are")
	}
}
