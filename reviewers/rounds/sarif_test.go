package rounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// Valid SARIF that is easily mistaken for "nothing is wrong". All of it was printed by real programs, which
// are named in the rows.
func TestUnusableSARIFDoesNotPass(t *testing.T) {
	const (
		at      = `"locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 2}}}]`
		outside = `"locations": [{"physicalLocation": {"artifactLocation": {"uri": "file:///usr/lib/go/src/fmt/print.go"}, "region": {"startLine": 2}}}]`
		says    = `"message": {"text": "no good"}`
		tool    = `"tool": {"driver": {"name": "x"}}`
		rules   = `"rules": [{"id": "A"}, {"id": "R", "defaultConfiguration": {"level": "error"}}]`
		driver  = `"tool": {"driver": {"name": "x", ` + rules + `}}`
		pack    = `"tool": {"driver": {"name": "x", "rules": [{"id": "A"}, {"id": "B"}]}, "extensions": [{"name": "p", "guid": "G", ` + rules + `}]}`
	)
	one := func(tool, result string) string { return tool + `, "results": [{` + result + `}]` }
	b := newBranch(t)
	b.Git("switch", "-q", "main")
	b.Commit("a.txt", "first\n")
	b.Git("switch", "-q", "-C", "feature")
	b.Commit("a.txt", "first\nsecond\n")
	for name, tt := range map[string]struct {
		run    string
		end    ledger.End
		reason string // or what is printed for a finding
	}{
		"code that does not compile (staticcheck, exit code 0)": {one(tool, `"ruleId": "compile", "message": {"text": "# x\n./a.go:3:23: undefined"}, "locations": [{"physicalLocation": {"artifactLocation": {"uriBaseId": "%SRCROOT%"}, "region": {"startLine": 0}}}]`),
			ledger.Incomplete, "could not read the code: # x ./a.go:3:23: undefined"},
		"code that does not compile, at an old line (golangci-lint)": {one(tool, `"ruleId": "typecheck", "level": "error", `+says+`, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 1}}}]`),
			ledger.Incomplete, "could not read the code"},
		"a changed file that does not parse, at an old line (ruff)": {one(tool, `"ruleId": "invalid-syntax", "level": "error", `+says+`, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 1}}}]`),
			ledger.Found, "a.txt:1: high invalid-syntax: no good"},
		"an error in no file":                      {one(tool, `"level": "error", `+says), ledger.Incomplete, "something wrong in no file: no good"},
		"a note in no file":                        {one(tool, `"level": "note", `+says), ledger.Notes, "(the branch): low lint: no good"},
		"a level by ruleIndex":                     {one(driver, `"ruleIndex": 1, `+says+`, `+at), ledger.Found, "a.txt:2: high r: no good"},
		"a level by rule.index":                    {one(driver, `"rule": {"index": 1}, `+says+`, `+at), ledger.Incomplete, "have the program give each result its level"},
		"a level by rule.id":                       {one(driver, `"rule": {"id": "R"}, `+says+`, `+at), ledger.Incomplete, "have the program give each result its level"},
		"a level in an extension (CodeQL)":         {one(pack, `"ruleId": "R", "rule": {"id": "R", "index": 1, "toolComponent": {"index": 0}}, `+says+`, `+at), ledger.Incomplete, "have the program give each result its level"},
		"a level in an extension, by its guid":     {one(pack, `"rule": {"index": 1, "toolComponent": {"guid": "g"}}, `+says+`, `+at), ledger.Incomplete, "have the program give each result its level"},
		"a level in an extension, by the id alone": {one(pack, `"ruleId": "R", `+says+`, `+at), ledger.Incomplete, "have the program give each result its level"},
		"a level of a rule with parts":             {one(driver, `"ruleId": "R/x", `+says+`, `+at), ledger.Incomplete, "have the program give each result its level"},
		"a level that the run was configured with": {one(driver, `"ruleId": "A", `+says+`, `+at) + `, "invocations": [{"executionSuccessful": true, "ruleConfigurationOverrides": [{"descriptor": {"id": "A"}, "configuration": {"level": "error"}}]}]`,
			ledger.Incomplete, "ruleConfigurationOverrides"},
		"a file in the second location": {one(driver, `"ruleId": "R", `+says+`, "locations": [{"logicalLocations": [{"name": "f"}]}, {"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 2}}}]`),
			ledger.Found, "a.txt:2: high r: no good"},
		"a file by its index": {one(driver, `"ruleId": "R", `+says+`, "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": 2}}}]`) + `, "artifacts": [{"location": {"uri": "a.txt"}}]`,
			ledger.Incomplete, "by an index alone"},
		"a file relative to its base": {one(driver, `"ruleId": "R", `+says+`, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt", "uriBaseId": "ROOT"}, "region": {"startLine": 2}}}]`) + `, "originalUriBaseIds": {"ROOT": {"uri": "file://@PWD@/"}}`,
			ledger.Found, "a.txt:2: high r: no good"},
		"a changed file as a whole":                                {one(driver, `"ruleId": "R", `+says+`, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}}}]`), ledger.Found, "a.txt: high r: no good"},
		"lines with one changed":                                   {one(driver, `"ruleId": "R", `+says+`, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 1, "endLine": 2}}}]`), ledger.Found, "a.txt:1: high r: no good"},
		"unchanged lines":                                          {one(driver, `"ruleId": "R", `+says+`, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 1, "endLine": 1}}}]`), ledger.Clean, ""},
		"a rejected suppression":                                   {one(driver, `"ruleId": "R", `+says+`, `+at+`, "suppressions": [{"kind": "external", "status": "rejected"}]`), ledger.Found, "a.txt:2: high r: no good"},
		"an unreviewed suppression":                                {one(driver, `"ruleId": "R", `+says+`, `+at+`, "suppressions": [{"kind": "inSource"}, {"kind": "external", "status": "underReview"}]`), ledger.Found, "a.txt:2: high r: no good"},
		"an accepted suppression":                                  {one(driver, `"ruleId": "R", `+says+`, `+at+`, "suppressions": [{"kind": "external", "status": "accepted"}]`), ledger.Clean, ""},
		"no list of results":                                       {tool, ledger.Incomplete, "a run without results"},
		"null for a list of results":                               {tool + `, "results": null`, ledger.Incomplete, "a run without results"},
		"one of two runs without results":                          {tool + `, "results": []}, {` + tool, ledger.Incomplete, "a run without results"},
		"no list, but it succeeded (staticcheck without findings)": {tool + `, "invocations": [{"executionSuccessful": true}]`, ledger.Clean, ""},
		"results in another file": {tool + `, "invocations": [{"executionSuccessful": true}], "externalPropertyFileReferences": {"results": [{"location": {"uri": "more.sarif"}, "itemCount": 7}]}`,
			ledger.Incomplete, "has its results in other files"},
		"an error while it ran": {tool + `, "results": [], "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": [{"level": "error", "message": {"text": "out of memory"}}]}]`,
			ledger.Incomplete, "reports an error: out of memory"},
		"a file that it cannot parse (eslint)": {tool + `, "results": [], "invocations": [{"executionSuccessful": false, "toolConfigurationNotifications": [{"level": "error", "message": {"text": "Parsing error: Unexpected token ("}, ` + at + `}]}]`,
			ledger.Incomplete, "reports an error: a.txt:2: Parsing error: Unexpected token ("},
		"a warning while it ran":     {tool + `, "results": [], "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": [{"message": {"text": "slow"}}]}]`, ledger.Clean, ""},
		"absent since the baseline":  {one(driver, `"ruleId": "R", "baselineState": "absent", `+says+`, `+at), ledger.Clean, ""},
		"one result in a library":    {tool + `, "results": [{"level": "error", ` + says + `, ` + outside + `}, {"level": "error", ` + says + `, ` + at + `}]`, ledger.Found, "a.txt:2: high"},
		"all results in other files": {one(tool, `"level": "error", `+says+`, `+outside), ledger.Incomplete, "it names /usr/lib/go/src/fmt/print.go, which is not in the repository"},
		"a message by its id":        {one(driver, `"ruleId": "R", "message": {"id": "m", "arguments": ["word"]}, `+at), ledger.Incomplete, "no message.text"},
	} {
		t.Run(name, func(t *testing.T) {
			l := b.loop()
			l.NoFix = true
			l.Reviewers = []*panel.Reviewer{linter(panel.Command{Env: proc.CleanEnv(),
				Line: fmt.Sprintf("sed \"s|@PWD@|$PWD|\" <<'END'\n{\"version\": \"2.1.0\", \"runs\": [{%s}]}\nEND", tt.run)})}
			out := b.run(l)
			if out.Ledger.End != tt.end || !strings.Contains(out.Ledger.Reason+"\n"+out.Ledger.Text(), tt.reason) {
				t.Errorf("%s: %s\n%s", out.Ledger.End, out.Ledger.Reason, out.Ledger.Text())
			}
			for _, f := range out.Ledger.Standing() {
				if f.Severity != finding.Low && tt.end != ledger.Found {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}
