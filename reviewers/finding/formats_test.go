package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// reported are findings of every kind.
func reported() []Finding {
	return []Finding{
		{ID: "1", Category: "correctness", Severity: High, File: "a dir/ü%.go", Line: 3, Quote: "x\ny", Title: "wrong", Detail: "why\nthus", Trigger: "0", Status: Confirmed, Reviewers: []string{"quality"}},
		{ID: "2", Category: "fixup", Rule: "fixup-commits", Severity: Medium, Title: "a fixup! commit", Status: Confirmed},
		{ID: "3", Category: "docs", Severity: Low, File: "b.md", Title: "stale\u202e", Status: Plausible},
		{ID: "4", Category: "security", Severity: Critical, File: "c.go", Line: 1, Title: "open", Status: Dismissed, Because: "as intended"},
	}
}

// The schema is the standard's own, see testdata/schemas.
func TestSARIFMatchesItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "testdata", "schemas", "sarif-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]SARIF{"findings": {Version: "1.2", Note: "incomplete: x", File: "z.go", Findings: reported(), Errors: []string{"no answer"}}, "nothing": {Version: "1.2", Note: "clean: x", Succeeded: true}} {
		var text bytes.Buffer
		if err := o.Write(&text); err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text.Bytes()))
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var log struct{ Runs []sarifRun }
		if err := json.Unmarshal(text.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if got := run.Invocations[0].Successful; *got != o.Succeeded {
			t.Errorf("%s: executionSuccessful is %v", name, *got)
		}
		for _, r := range run.Results {
			if len(r.Locations) != 1 || r.Locations[0].Physical.Artifact.URI == "" || r.Locations[0].Physical.Region.StartLine < 1 {
				t.Errorf("GitHub refuses the whole file for a result without location: %+v", r)
			}
			if suppressed := len(r.Suppressions) > 0; suppressed != (r.Fingerprints["gitPlan/v1"] == "4") {
				t.Errorf("%+v", r)
			}
		}
		if !o.Succeeded && (len(run.Results) != 4 || (run.Results)[0].Locations[0].Physical.Artifact.URI != "a%20dir/%C3%BC%25.go") {
			t.Errorf("%+v", run.Results)
		}
	}
}

// reviewdog's input is described by its Diagnostic message: one object per line, each with a message, and
// lines from 1 (an end without a column is in the range).
func TestRDJSONLMatchesReviewdog(t *testing.T) {
	var text bytes.Buffer
	if err := WriteRDJSONL(&text, reported()[:3]); err != nil {
		t.Fatal(err)
	}
	want := `{"message":"wrong\nwhy\nthus\n0","location":{"path":"a dir/ü%.go","range":{"start":{"line":3},"end":{"line":4}}},"severity":"ERROR","source":{"name":"git plan"},"code":{"value":"correctness"}}
{"message":"a fixup! commit","severity":"WARNING","source":{"name":"git plan"},"code":{"value":"fixup-commits"}}
{"message":"stale\\u202e","location":{"path":"b.md"},"severity":"INFO","source":{"name":"git plan"},"code":{"value":"docs"}}
`
	if text.String() != want {
		t.Error(text.String())
	}
}

// One program's output is another one's input.
func TestFormatsRoundTrip(t *testing.T) {
	var s, rd bytes.Buffer
	list := reported()[:1]
	if err := (SARIF{Succeeded: true, Findings: list}).Write(&s); err != nil {
		t.Fatal(err)
	}
	if err := WriteRDJSONL(&rd, list); err != nil {
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

// A linter's output is recognised by what only its format has; what does not quite match the format is
// rejected as a whole.
func TestLinterOutputIsReadCompletelyOrRefused(t *testing.T) {
	const run = `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [%s]}]}`
	result := func(more string) string {
		return `{"ruleId": "R 1", "message": {"text": "no good\\nmore"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.go"}}}]` + more + `}`
	}
	rd := func(more string) string { return `{"message": "m", "location": {"path": "a.go"}` + more + `}` }
	for name, tt := range map[string]struct {
		text string
		want string // severities; "!": an error
	}{
		"levels":               {fmt.Sprintf(run, result(`, "level": "error"`)+","+result(`, "level": "note"`)+","+result("")), "high low medium"},
		"not a failure":        {fmt.Sprintf(run, result(`, "level": "none"`)+","+result(`, "kind": "pass"`)+","+result(`, "suppressions": [{"kind": "external"}]`)), ""},
		"another version":      {`{"version": "3", "runs": [{}]}`, "!"},
		"no run":               {`{"version": "2.1.0", "runs": []}`, "!"},
		"a run that failed":    {`{"version": "2.1.0", "runs": [{"invocations": [{"executionSuccessful": false}]}]}`, "!"},
		"another round's":      {`{"version": "2.1.0", "nonce": "m", "runs": [{}]}`, "!"},
		"runs of another kind": {`{"version": "2.1.0", "runs": 1}`, "!"},
		"too many":             {fmt.Sprintf(run, strings.Repeat(result("")+",", maxLinted)+result("")), "!"},
		"rdjsonl":              {rd(`, "severity": "ERROR"`) + "\n\n" + rd(`, "severity": "info"`) + "\n" + rd("") + "\n" + rd(`, "severity": "UNKNOWN_SEVERITY"`), "high low medium medium"},
		"a severity by number": {rd(`, "severity": 1`), "!"},
		"a line of prose":      {rd("") + "\nall good", "!"},
		"a line without path":  {rd("") + "\n" + `{"message": "m"}`, "!"},
		"of another round":     {rd(`, "nonce": "m"`), "!"},
	} {
		all, ok, err := ReadLinter(tt.text, "n")
		var got []string
		for _, f := range all {
			got = append(got, string(f.Severity))
		}
		if !ok || (err != nil) != (tt.want == "!") || err == nil && strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, %v, %q", name, ok, err, got)
		}
	}
	for _, text := range []string{"", "prose", `{"findings": []}`, `{"message": "m"}`} {
		if all, ok, err := ReadLinter(text, "n"); ok || all != nil || err != nil {
			t.Errorf("%q: %v, %v, %v", text, all, ok, err)
		}
	}
}
