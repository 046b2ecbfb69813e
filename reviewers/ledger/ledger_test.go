package ledger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/reviewers/finding"
)

// some findings, one for each state that matters later.
func settled() []finding.Finding {
	return []finding.Finding{
		{ID: "000000000001", File: "a.go", Status: finding.Dismissed, Because: "as intended", Round: 2},
		{ID: "000000000002", File: "a.go", Status: finding.Confirmed, Because: "it fails for 0", Round: 3},
		{ID: "000000000003", File: "b.go", Status: finding.Asked, Round: 1},
		{ID: "000000000004", File: "b.go", Status: finding.Fixed, Because: "the fixer's reason", Round: 1},
		{ID: "000000000005", File: "c.go", Status: finding.Refuted, Round: 1},
		{ID: "000000000006", File: "c.go", Status: finding.Confirmed, Verified: true, Round: 1},
	}
}

func TestLedgerRoundTrips(t *testing.T) {
	l := &Ledger{Schema: Schema, Branch: "feature", End: Found, Reason: "1 finding blocks", Only: []string{"quality"},
		Rounds: []Round{{N: 1, Tree: "t", Blocking: []string{"000000000002"}}}, Findings: settled()}
	data, err := l.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(data)
	if diff := cmp.Diff(l, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	l.Reason = "token gh" + "p_" + "a8Kd03LmQz7VxTn2" + "RbYc5WjFs9HuEg1PqOiX"
	if data, _ = l.Bytes(); strings.Contains(string(data), "RbYc5WjF") {
		t.Errorf("it is pushed with a secret: %s", data)
	}
}

// A ledger may come from a remote: what is shown of it is limited, and fields that this program would not
// write are refused.
func TestForeignLedgerIsValidated(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":          `{`,
		"another schema":   `{"schema": 2}`,
		"a file elsewhere": `{"schema": 1, "findings": [{"id": "000000000001", "file": "../x"}]}`,
		"git's own folder": `{"schema": 1, "findings": [{"id": "000000000001", "file": ".git/config"}]}`,
		"a foreign id":     `{"schema": 1, "findings": [{"id": "x; rm -rf"}]}`,
		"no id":            `{"schema": 1, "findings": [{}]}`,
	} {
		if l, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: read as %+v", name, l)
		}
	}
	long := strings.Repeat("x", 10_000)
	l, err := Parse([]byte(`{"schema": 1, "end": "a\nb", "reason": "\u001b[31mred", "only": ["` + long + `"],
		"findings": [{"id": "000000000001", "title": "` + long + `", "reviewers": ["a\u202eb"], "severity": "high\u001b[31m @all"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if f := l.Findings[0]; l.End != "a b" || strings.Contains(l.Reason, "\x1b") || len(l.Only[0]) > 63 || len(f.Title) > finding.MaxTitle || f.Reviewers[0] != "ab" || strings.ContainsAny(string(f.Severity), "\x1b[@ ") {
		t.Errorf("%+v", l)
	}
}

// A finding keeps the round in which it was first seen, and has its latest state.
func TestFindingIsKeptOnce(t *testing.T) {
	l := &Ledger{}
	l.Keep([]finding.Finding{{ID: "1", Status: finding.Open, Round: 1}, {ID: "2", Status: finding.Open, Round: 1}})
	l.Keep([]finding.Finding{{ID: "1", Status: finding.Fixed, Round: 3}, {ID: "3", Status: finding.Asked, Round: 2}})
	if f := l.ByID()["1"]; len(l.Findings) != 3 || f.Status != finding.Fixed || f.Round != 1 || l.Finding("1") != f || l.Finding("9") != nil {
		t.Errorf("%+v", l.Findings)
	}
	if got := l.With(finding.Fixed, finding.Asked); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// What one review dismissed or confirmed, the next one knows; a confirmed finding counts as claimed to be
// fixed until it is reviewed. Rules and programs report theirs again.
func TestLaterReviewKnowsEarlierDecisions(t *testing.T) {
	l := &Ledger{Findings: settled()}
	want := map[string]finding.Finding{
		"000000000001": {Status: finding.Dismissed, Because: "as intended"},
		"000000000002": {Status: finding.Fixed, Round: 1},
		"000000000003": {Status: finding.Fixed, Round: 1},
		"000000000004": {Status: finding.Fixed, Because: "the fixer's reason", Round: 1},
	}
	got := l.CarryOver()
	if len(got) != len(want) {
		t.Errorf("%+v", got)
	}
	for _, f := range got {
		if w := want[f.ID]; f.Status != w.Status || f.Because != w.Because || f.Round != w.Round {
			t.Errorf("%s: %+v", f.ID, f)
		}
	}
}

// A second review of the same files keeps the findings of the first one, and one by some reviewers only does
// not replace a complete one.
func TestAnotherReviewOfTheSameFiles(t *testing.T) {
	all := &Ledger{BaseTree: "b", HeadTree: "h", End: Notes, Reason: "nothing blocks; 1 note", Rounds: []Round{{N: 1}},
		Findings: []finding.Finding{{ID: "1", Status: finding.Plausible, Round: 1}, {ID: "2", Status: finding.Confirmed, Verified: true}, {ID: "3", Status: finding.Dismissed, Round: 1}}}
	some := &Ledger{BaseTree: "b", HeadTree: "h", End: Clean, Only: []string{"quality"}, Rounds: []Round{{N: 1}}, Findings: []finding.Finding{{ID: "3", Status: finding.Dismissed}}}
	both := some.After(all)
	if both.End != Notes || both.Only != nil || len(both.Rounds) != 2 || !both.Rounds[0].Earlier || len(both.Findings) != 2 || both.Findings[1].ID != "1" || len(both.Explained()) != 1 || some.Findings[0].Round != 0 {
		t.Errorf("%+v", both)
	}
	other := &Ledger{BaseTree: "b", HeadTree: "h", End: Clean, Only: []string{"security"}}
	if got := some.After(other); strings.Join(got.Only, " ") != "quality" {
		t.Errorf("%q", got.Only)
	}
	for name, earlier := range map[string]*Ledger{
		"none": nil, "of other files": {BaseTree: "b", HeadTree: "x", End: Clean}, "of another base": {BaseTree: "x", HeadTree: "h", End: Clean},
		"one that was interrupted": {BaseTree: "b", HeadTree: "h", End: Incomplete}, "one out of money": {BaseTree: "b", HeadTree: "h", End: Budget},
	} {
		if got := some.After(earlier); got != some {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A fix that restores the files of an earlier round restores what blocked there.
func TestGoingBackReopensWhatBlocked(t *testing.T) {
	l := &Ledger{HeadTree: "one", Rounds: []Round{{N: 1, Tree: "one", Blocking: []string{"1"}}, {N: 2, Tree: "two", Blocking: []string{"2"}}},
		Findings: []finding.Finding{
			{ID: "1", Title: "too few", Reviewers: []string{"quality"}, Status: finding.Fixed},
			{ID: "2", Title: "too many", Reviewers: []string{"security"}, Status: finding.Confirmed},
		}}
	l.Reopen()
	if f := l.Finding("1"); f.Status != finding.Confirmed || f.Because != "as in round 1, to whose files a fix went back" {
		t.Errorf("%+v", f)
	}
	if got := l.Blocking(); len(got) != 1 || got[0].ID != "1" {
		t.Errorf("%+v", got)
	}
}
