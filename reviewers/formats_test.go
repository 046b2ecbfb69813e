package reviewers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// reported is an outcome with a finding of every kind.
func reported() *Outcome {
	l := &Ledger{Findings: []Finding{
		{ID: "1", Category: "correctness", Severity: High, File: "a dir/ü%.go", Line: 3, Quote: "x\ny", Title: "wrong", Detail: "why\nthus", Trigger: "0", Status: Confirmed, Reviewers: []string{"quality"}},
		{ID: "2", Category: "fixup", Rule: "fixup-commits", Severity: Medium, Title: "a fixup! commit", Status: Confirmed},
		{ID: "3", Category: "docs", Severity: Low, File: "b.md", Title: "stale", Status: Plausible},
		{ID: "4", Category: "security", Severity: Critical, File: "c.go", Line: 1, Title: "open", Status: Dismissed, Because: "as intended"},
		{ID: "5", Category: "security", Severity: Critical, File: "c.go", Line: 1, Title: "gone", Status: Refuted},
	}, Rounds: []Round{{N: 1, Reviewers: []Reviewed{{Name: "slow", Incomplete: "it did not end"}}}}}
	return &Outcome{End: Incomplete, Reason: "reviewer slow", Ledger: l}
}

// The schema is the standard's own, see testdata/schemas.
func TestSARIFKeepsToItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "testdata", "schemas", "sarif-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*Outcome{"findings": reported(), "nothing": {End: Clean, Ledger: &Ledger{}}} {
		var text bytes.Buffer
		if err := o.WriteSARIF(&text); err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text.Bytes()))
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var log sarifLog
		if err := json.Unmarshal(text.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if got := *run.Invocations[0].Successful; got != (o.End == Clean) {
			t.Errorf("%s: executionSuccessful is %v", name, got)
		}
		for _, r := range run.Results {
			if suppressed := len(r.Suppressions) > 0; suppressed != (r.Fingerprints["gitPlan/v1"] == "4") {
				t.Errorf("%+v", r)
			}
		}
		if o.End == Incomplete && (len(run.Results) != 4 || run.Results[1].Locations[0].Physical.Artifact.URI != "a%20dir/%C3%BC%25.go") {
			t.Errorf("%+v", run.Results)
		}
	}
}

// What reviewdog reads is described by its Diagnostic message: one object a
// line, each with a message, and lines from 1 (an end without a column is in the range).
func TestRDJSONLIsAsReviewdogReadsIt(t *testing.T) {
	var text bytes.Buffer
	if err := reported().WriteRDJSONL(&text); err != nil {
		t.Fatal(err)
	}
	want := `{"message":"a fixup! commit","severity":"WARNING","source":{"name":"git plan"},"code":{"value":"fixup-commits"}}
{"message":"wrong\nwhy\nthus\n0","location":{"path":"a dir/ü%.go","range":{"start":{"line":3},"end":{"line":4}}},"severity":"ERROR","source":{"name":"git plan"},"code":{"value":"correctness"}}
{"message":"stale","location":{"path":"b.md"},"severity":"INFO","source":{"name":"git plan"},"code":{"value":"docs"}}
`
	if text.String() != want {
		t.Error(text.String())
	}
}

// What one program wrote another reads.
func TestWhatIsWrittenCanBeRead(t *testing.T) {
	var s, rd bytes.Buffer
	o := reported()
	o.End = Notes
	o.Ledger.Findings = o.Ledger.Findings[:1]
	if err := o.WriteSARIF(&s); err != nil {
		t.Fatal(err)
	}
	if err := o.WriteRDJSONL(&rd); err != nil {
		t.Fatal(err)
	}
	fromSARIF, err := readSARIF(s.String(), "n")
	if err != nil {
		t.Fatal(err)
	}
	fromRD, err := readRDJSONL(rd.String(), "n")
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]Finding{fromSARIF, fromRD} {
		f := got[0]
		if len(got) != 1 || f.File != "a dir/ü%.go" || f.Line != 3 || f.Severity != High || f.Category != "correctness" || f.Title != "wrong" {
			t.Errorf("%+v", got)
		}
	}
}

// A linter looks at a whole repository; what it says of the change counts.
func TestALinterSpeaksItsOwnForm(t *testing.T) {
	sarifOf := func(line int, more string) string {
		return fmt.Sprintf(`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x", "rules": [{"id": "R", "defaultConfiguration": {"level": "error"}}]}}, "results": [{"ruleId": "R", "message": {"text": "no good"}, %s "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": %d}}}]}]}]}`, more, line)
	}
	rdOf := func(path string, line int, more string) string {
		return fmt.Sprintf(`{"message": "no good", "location": {"path": "%s", "range": {"start": {"line": %d}}}, "severity": "ERROR"%s}`, path, line, more)
	}
	for name, tt := range map[string]struct {
		says   string
		exit   int
		end    End
		reason string
	}{
		"SARIF, of a changed line":      {sarifOf(2, ""), 1, Found, "1 finding blocks"},
		"SARIF, a warning":              {sarifOf(2, `"level": "warning",`), 1, Notes, ""},
		"SARIF, suppressed":             {sarifOf(2, `"suppressions": [{"kind": "inSource"}],`), 0, Clean, ""},
		"SARIF, of what passes":         {sarifOf(2, `"kind": "pass",`), 0, Clean, ""},
		"SARIF, of an old line":         {sarifOf(1, ""), 1, Clean, ""},
		"SARIF without a run":           {`{"version": "2.1.0", "runs": []}`, 0, Incomplete, "nothing was looked at"},
		"SARIF of a failed run":         {`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [], "invocations": [{"executionSuccessful": false}]}]}`, 0, Incomplete, "did not succeed"},
		"SARIF of another version":      {`{"version": "1.0.0", "runs": [{}]}`, 0, Incomplete, "version"},
		"SARIF, cut off":                {sarifOf(2, "")[:150], 1, Incomplete, "cannot be used"},
		"rdjsonl, of a changed line":    {rdOf("a.txt", 2, ""), 1, Found, "1 finding blocks"},
		"rdjsonl, an absolute path":     {rdOf("@PWD@/a.txt", 2, ""), 1, Found, "1 finding blocks"},
		"rdjsonl, of a file as a whole": {rdOf("a.txt", 0, ""), 1, Notes, "1 note"},
		"rdjsonl, of another file":      {rdOf("base.txt", 1, ""), 1, Clean, ""},
		"rdjsonl, out of the tree":      {rdOf("../x", 1, ""), 1, Incomplete, "not in the repository"},
		"rdjsonl with words behind":     {rdOf("a.txt", 2, "") + "\n1 problem", 1, Incomplete, "not rdjsonl"},
		"rdjsonl, a wrong nonce":        {rdOf("a.txt", 2, `, "nonce": "1"`), 1, Incomplete, "nonce"},
		"rdjsonl and exit 2":            {rdOf("a.txt", 2, ""), 2, Incomplete, "exit code 2"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.git("switch", "-q", "main")
			b.commit("a.txt", "first\n")
			b.git("switch", "-q", "-C", "feature")
			b.commit("a.txt", "first\nsecond\n")
			l := b.loop()
			l.NoFix = true
			l.Reviewers = append(l.Reviewers, &Command{CommandName: "lint", Env: proc.Clean(),
				Line: fmt.Sprintf("sed \"s|@PWD@|$PWD|\" <<'END'\n%s\nEND\nexit %d", tt.says, tt.exit)})
			out := b.run(l)
			b.expect(out, tt.end, tt.reason)
			if tt.end == Found && !strings.Contains(text(out), "a.txt:2: high") {
				t.Error(text(out))
			}
			if tt.end == Incomplete && slices.Contains(out.Ledger.Rounds[0].Reviewers[2].Covered, "a.txt") {
				t.Error("it is counted as having judged")
			}
		})
	}
}
