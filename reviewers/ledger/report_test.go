package ledger

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
)

func half() *float64 { sum := 0.5; return &sum }

// ended is a review of two rounds whose last one was not answered by everybody.
func ended() *Ledger {
	l := &Ledger{HeadTree: "two", End: Incomplete, Reason: "reviewers slow, lame: it did not end",
		Findings: []finding.Finding{
			{ID: "1", File: "b.go", Line: 3, Quote: "x", Severity: finding.High, Category: "correctness", Title: "wrong", Detail: "for 0", Trigger: "0", Status: finding.Confirmed, Because: "it is", Reviewers: []string{"quality"}, Round: 1},
			{ID: "2", File: "a.go", Severity: finding.Low, Category: "docs", Title: "stale", Status: finding.Plausible, NonBlocking: true, Line: 1, Reviewers: []string{"documentation"}, Round: 1},
			{ID: "3", File: "a.go", Quote: "not there", Severity: finding.High, Category: "docs", Title: "made up", Status: finding.Open, Reviewers: []string{"quality"}, Round: 1},
			{ID: "4", File: "c.go", Severity: finding.High, Category: "security", Title: "open", Status: finding.Dismissed, Because: "as intended", Round: 1},
			{ID: "5", File: "c.go", Severity: finding.High, Category: "security", Title: "gone", Status: finding.Fixed, Because: "done", Round: 1},
			{ID: "6", File: "c.go", Severity: finding.High, Category: "security", Title: "old", Status: finding.Dismissed},
		},
		Rounds: []Round{
			{N: 1, Tree: "one", Files: 3, Reviewers: []Reviewed{{Name: "quality", Agent: "m", Covered: []string{"a.go"}, Sessions: 2, Tokens: agent.Tokens{In: 10, Cached: 4, Out: 5}, CostUSD: half()}},
				Fix: &FixRecord{Status: agent.Done, Dispositions: []agent.Disposition{{ID: "1", Disposition: "dismissed", Because: "it cannot be 0"}},
					Verified: map[string]finding.Judgement{"1": {Answer: finding.Confirmed, Because: "it can"}}}},
			{N: 2, Tree: "two", Files: 3, Blocking: []string{"1"}, NotSent: []NotSent{{Path: "x.png", Why: "binary"}, {Path: "go.sum", Why: "lock"}, {Path: "y.png", Why: "binary"}},
				Reviewers: []Reviewed{{Name: "rules", Covered: []string{"a.go", "b.go", "c.go"}}, {Name: "slow", Incomplete: "it did not end"}, {Name: "lame", Incomplete: "it did not end"}},
				Verifier:  &Reviewed{Name: "verifier", Agent: "m", Incomplete: "timeout"}},
		}}
	return l
}

func TestReportForPeople(t *testing.T) {
	got := ended().Text()
	want := `a.go: high docs: made up (3: its quote is not in the file; found by quality)
a.go:1: low docs: stale (2: advice; found by documentation)
b.go:3: high correctness: wrong
    why: for 0
    trigger: 0
    confirmed: it is
    the fixer says: it cannot be 0
    the verifier then: confirmed: it can
    1: blocks; found by quality

reviewed 1 of 3 files (3 not sent: 2 binary, 1 lock)
judged only by the rules: b.go, c.go
incomplete after 2 rounds: reviewers slow, lame: it did not end
`
	if got != want {
		t.Errorf("%s", got)
	}
	if got := ended().Open(false); !strings.HasPrefix(got, "b.go:3: high correctness: wrong\n    why: for 0\n") {
		t.Errorf("%s", got)
	}
}

// Whoever asks again reads what was settled and why, not what it cost.
func TestEarlierReportForPeople(t *testing.T) {
	l := ended()
	l.Findings = l.Findings[3:]
	got := l.Earlier()
	want := "fixed: c.go: high security: gone (5): done\ndismissed: c.go: high security: open (4): as intended\n\nincomplete: reviewers slow, lame: it did not end\n"
	if got != want {
		t.Errorf("%s", got)
	}
	bare := &Ledger{End: Explained, Findings: []finding.Finding{{ID: "1", Status: finding.Refuted}}}
	if got := bare.Explained(); len(got) != 1 { // only its verdict is left, so the rounds are unknown
		t.Errorf("%+v", got)
	}
}

// For programs, open findings are listed, dismissed ones as suppressed; a review with a missing answer did
// not succeed.
func TestReportForPrograms(t *testing.T) {
	var sarif, rd strings.Builder
	l := ended()
	if err := l.WriteSARIF(&sarif, "1"); err != nil {
		t.Fatal(err)
	}
	if err := finding.WriteRDJSONL(&rd, l.Standing()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"executionSuccessful": false`, "reviewers slow, lame did not judge", `"justification": "as intended"`} {
		if !strings.Contains(sarif.String(), part) {
			t.Errorf("%q is missing in\n%s", part, sarif.String())
		}
	}
	if got := strings.Count(sarif.String(), `"ruleId"`); got != 5 || strings.Count(rd.String(), "\n") != 3 {
		t.Errorf("%d results\n%s", got, rd.String())
	}
}

func TestReviewersToAskAgain(t *testing.T) {
	l := ended()
	missing := func() string { return strings.Join(l.Missing(), " ") }
	if got := missing(); got != "slow lame verifier" {
		t.Error(got)
	}
	l.Rounds[1].Fix = &FixRecord{Status: agent.Limited}
	if got := missing(); got != "slow lame verifier fixer" {
		t.Error(got)
	}
	l.Rounds[1].Earlier = true
	if got := missing(); got != "" {
		t.Errorf("no session ran: %q", got)
	}
	l.Reason = journal.Interrupted
	if !l.Interrupted() || ended().Interrupted() {
		t.Error("only a signal interrupts")
	}
}

// A price that is not known is not written, and nothing was reviewed without a round.
func TestUnknownPrice(t *testing.T) {
	if journal.Dollars(agent.Cost{USD: 1}) != nil || *journal.Dollars(agent.Cost{USD: 1, Known: true}) != 1 {
		t.Error("a price that nobody knows is written")
	}
	if got := (&Ledger{}).Coverage(); got != "reviewed nothing" {
		t.Error(got)
	}
}
