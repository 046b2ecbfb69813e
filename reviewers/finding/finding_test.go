package finding

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/reviewers/rules"
)

// Whether a finding blocks a branch.
func TestBlockingFindings(t *testing.T) {
	for name, tt := range map[string]struct {
		f    Finding
		want bool
	}{
		"confirmed, at the threshold": {Finding{Status: Confirmed, Severity: High, Line: 1}, true},
		"worse":                       {Finding{Status: Confirmed, Severity: Critical, Line: 1}, true},
		"below the threshold":         {Finding{Status: Confirmed, Severity: Medium, Line: 1}, false},
		"an unknown severity":         {Finding{Status: Confirmed, Severity: "huge", Line: 1}, false},
		"not confirmed":               {Finding{Status: Plausible, Severity: Critical, Line: 1}, false},
		"advice":                      {Finding{Status: Confirmed, Severity: Critical, Line: 1, NonBlocking: true}, false},
		"its quote is nowhere":        {Finding{Status: Confirmed, Severity: Critical}, false},
		"a rule's needs no quote":     {Finding{Status: Confirmed, Severity: Critical, Rule: "conflict-markers"}, true},
		"a fixed finding":             {Finding{Status: Fixed, Severity: Critical, Line: 1}, false},
	} {
		if got := tt.f.Blocks(High); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if Low.Raised(1) != Medium || High.Raised(5) != Critical || High.Raised(-1) != High {
		t.Error("a raised severity is another one")
	}
}

func TestTextOfAFinding(t *testing.T) {
	for want, f := range map[string]Finding{"(the branch)": {Line: 3}, "a.go": {File: "a.go"}, "a.go:3": {File: "a.go", Line: 3}} {
		if got := f.Place(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, f := range map[string]Finding{"its quote is too short to say where": {Quote: "}"}, notQuoted: {Quote: "x := 1"}} {
		if got := f.Unplaced(); got != want || !f.Unquoted() {
			t.Errorf("%q, want %q", got, want)
		}
	}
	said := Finding{Status: Fixed, Because: "the fixer's reason"}
	confirmed := Finding{Status: Confirmed, Because: "the verifier's reason"}
	said.TakeAsFixed()
	confirmed.TakeAsFixed()
	if said.Because == "" || confirmed.Status != Fixed || confirmed.Because != "" {
		t.Errorf("%+v %+v", said, confirmed)
	}
}

// A rule's hit is a finding that needs no confirmation, and keeps its identity.
func TestRuleHitIsAFinding(t *testing.T) {
	h := rules.Hit{Rule: "secret", Category: "secret", Severity: "high", Path: "a.txt", Line: 2, Title: "a key\nin a file", Why: "others read it", Key: "k", Ask: true}
	f := FromHit(h)
	if f.Status != Confirmed || !f.Verified || f.Remedy != "ask" || f.Title != "a key in a file" || f.Detail != "others read it" || strings.Join(f.Reviewers, "") != RulesName {
		t.Errorf("%+v", f)
	}
	h.Line = 9
	if again := FromHit(h); again.ID != f.ID {
		t.Error("it is another finding on another line")
	}
	if quoted := FromHit(rules.Hit{Rule: "fixme", Quote: "TODO", Title: "t"}); quoted.ID != "" || quoted.Remedy != "fix" {
		t.Errorf("its code says what it is: %+v", quoted)
	}
}

func TestForeignTextIsEscaped(t *testing.T) {
	for _, tt := range [][2]string{
		{ShowPath("a b.go"), "a b.go"}, {ShowPath("a\nb.go"), `"a\nb.go"`}, {ShowPath("a\u202eb.go"), `"a\u202eb.go"`},
		{Kebab("Race (data) Condition!"), "race-data-condition"},
	} {
		if tt[0] != tt[1] {
			t.Errorf("%q, want %q", tt[0], tt[1])
		}
	}
	for path, want := range map[string]bool{
		"a/b.go": true, "": false, "/a": false, "../a": false, "a/../b": false, ".": false, ".git/x": false, ".GIT/x": false, ".github/x": true,
		"a\x00b": false, strings.Repeat("a", maxPath+1): false,
	} {
		if got := InRepository(path); got != want {
			t.Errorf("%.40q: %v", path, got)
		}
	}
}

// A program reads the findings in a file that only this person can read, which is removed afterwards.
func TestFindingsAreWrittenToAFile(t *testing.T) {
	file, remove, err := TempFile([]Finding{{ID: "1", Title: "wrong"}})
	if err != nil {
		t.Fatal(err)
	}
	var list []Finding
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &list) != nil || len(list) != 1 || list[0].Title != "wrong" {
		t.Errorf("%s, %v", data, err)
	}
	if remove(); exists(file) {
		t.Error("it was not removed")
	}
	t.Setenv("TMPDIR", file) // which is not a folder any more
	if _, _, err := TempFile(nil); err == nil {
		t.Error("a file that could not be written is handed on")
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
