package web

import (
	"slices"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// A step stands to the right of all that it needs.
func TestDraw(t *testing.T) {
	g := draw([]Step{{ID: "a"}, {ID: "b", Needs: []string{"a"}}, {ID: "c"}, {ID: "d", Needs: []string{"b", "c"}}})
	at := map[string]Box{}
	for _, b := range g.Boxes {
		at[b.ID] = b
	}
	if at["a"].X != at["c"].X || at["a"].Y == at["c"].Y || at["b"].X <= at["a"].X || at["d"].X <= at["b"].X || len(g.Lines) != 3 {
		t.Errorf("%+v", g)
	}
	if draw(make([]Step, mostDrawn+1)) != nil || draw([]Step{{ID: "a"}}) != nil {
		t.Error("nobody looks at that")
	}
}

func TestTimeline(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
	steps := []string{"a"}
	spans := timeline([]journal.Event{
		{Kind: journal.Created, Time: at(0)},
		{Kind: journal.Started, Steps: steps, Time: at(10)},
		{Kind: journal.Failed, Steps: steps, Time: at(20)},
		{Kind: journal.Started, Steps: steps, Time: at(20)},
		{Kind: journal.Done, Steps: steps, Time: at(40)},
		{Kind: journal.Reviewed, Time: at(60), Took: 20 * time.Second},
	})
	var kinds []string
	sum := 0.0
	for _, s := range spans {
		kinds, sum = append(kinds, s.Kind+" "+s.Took), sum+s.Percent
	}
	if !slices.Equal(kinds, []string{"waiting 10s", "failed 10s", "work 20s", "review 20s"}) || sum < 99 || sum > 101 {
		t.Errorf("%q %v", kinds, sum)
	}
	if timeline(nil) != nil {
		t.Error("no time went into nothing")
	}
}

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
	for want, n := range map[string]journal.Notice{
		"executor: edit a.go":       {Kind: journal.SessionTool, Role: "executor", Text: "edit a.go"},
		"reviewer quality begins":   {Kind: journal.SessionStart, Role: "reviewer", Reviewer: "quality"},
		"check: go test ./...":      {Kind: journal.CheckStart, Command: "go test\n./..."},
		"quality: 1 finding":        {Kind: journal.ReviewerEnd, Text: "quality: 1 finding"},
		"check ended: go test ./..": {Kind: journal.CheckEnd, Command: "go test ./.."},
		"":                          {Kind: journal.SessionUsage},
	} {
		if got := says(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLinesOfADiff(t *testing.T) {
	for text, want := range map[string]string{"+++ b/x": "file", "+x": "add", "-x": "del", "@@ -1 +1 @@": "hunk", " x": "", "diff --git a b": "file"} {
		if got := kindOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
