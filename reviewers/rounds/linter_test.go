package rounds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// A linter checks a whole repository; its results for the change count.
func TestLinterFormats(t *testing.T) {
	sarifOf := func(line int, more string) string {
		return fmt.Sprintf(`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x", "rules": [{"id": "R", "defaultConfiguration": {"level": "error"}}]}}, "results": [{"ruleId": "R", "message": {"text": "no good"}, %s "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": %d}}}]}]}]}`, more, line)
	}
	rdOf := func(path string, line int, more string) string {
		return fmt.Sprintf(`{"message": "no good", "location": {"path": "%s", "range": {"start": {"line": %d}}}, "severity": "ERROR"%s}`, path, line, more)
	}
	for name, tt := range map[string]struct {
		says   string
		exit   int
		end    ledger.End
		reason string
	}{
		"SARIF, of a changed line":      {sarifOf(2, ""), 1, ledger.Found, "1 finding blocks"},
		"SARIF, a warning":              {sarifOf(2, `"level": "warning",`), 1, ledger.Notes, ""},
		"SARIF, suppressed":             {sarifOf(2, `"suppressions": [{"kind": "inSource"}],`), 0, ledger.Clean, ""},
		"SARIF, passing results":        {sarifOf(2, `"kind": "pass",`), 0, ledger.Clean, ""},
		"SARIF, of an old line":         {sarifOf(1, ""), 1, ledger.Clean, ""},
		"SARIF without a run":           {`{"version": "2.1.0", "runs": []}`, 0, ledger.Incomplete, "nothing was looked at"},
		"SARIF of a failed run":         {`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [], "invocations": [{"executionSuccessful": false}]}]}`, 0, ledger.Incomplete, "did not succeed"},
		"SARIF of another version":      {`{"version": "1.0.0", "runs": [{}]}`, 0, ledger.Incomplete, "version"},
		"SARIF, cut off":                {sarifOf(2, "")[:150], 1, ledger.Incomplete, "cannot be used"},
		"rdjsonl, of a changed line":    {rdOf("a.txt", 2, ""), 1, ledger.Found, "1 finding blocks"},
		"rdjsonl, an absolute path":     {rdOf("@PWD@/a.txt", 2, ""), 1, ledger.Found, "1 finding blocks"},
		"rdjsonl, of a file as a whole": {rdOf("a.txt", 0, ""), 1, ledger.Found, "1 finding blocks"},
		"rdjsonl, of another file":      {rdOf("base.txt", 1, ""), 1, ledger.Clean, ""},
		"rdjsonl, outside the tree":     {rdOf("../x", 1, ""), 1, ledger.Incomplete, "not in the repository"},
		"rdjsonl with text after it":    {rdOf("a.txt", 2, "") + "\n1 problem", 1, ledger.Incomplete, "not rdjsonl"},
		"rdjsonl, a wrong nonce":        {rdOf("a.txt", 2, `, "nonce": "1"`), 1, ledger.Incomplete, "nonce"},
		"rdjsonl and exit 2":            {rdOf("a.txt", 2, ""), 2, ledger.Incomplete, "exit code 2"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.Git("switch", "-q", "main")
			b.Commit("a.txt", "first\n")
			b.Git("switch", "-q", "-C", "feature")
			b.Commit("a.txt", "first\nsecond\n")
			l := b.loop()
			l.NoFix = true
			l.Reviewers = append(l.Reviewers, linter(panel.Command{Env: proc.CleanEnv(),
				Line: fmt.Sprintf("sed \"s|@PWD@|$PWD|\" <<'END'\n%s\nEND\nexit %d", tt.says, tt.exit)}))
			out := b.run(l)
			b.expect(out, tt.end, tt.reason)
			if tt.end == ledger.Found && !strings.Contains(out.Ledger.Text(), "a.txt:2: high") && !strings.Contains(out.Ledger.Text(), "a.txt: high") {
				t.Error(out.Ledger.Text())
			}
			if tt.end == ledger.Incomplete && slices.Contains(out.Ledger.Rounds[0].Reviewers[2].Covered, "a.txt") {
				t.Error("it is counted as having judged")
			}
		})
	}
}
