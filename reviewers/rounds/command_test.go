package rounds

import (
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

func TestCommandReviewsInItsOwnClone(t *testing.T) {
	for name, tt := range map[string]struct {
		line   string
		end    ledger.End
		reason string
	}{
		"a clean linter":                  {"exit 0", ledger.Clean, ""},
		"a linter that leaves files":      {"echo x > made", ledger.Clean, ""},
		"one that changes the code":       {"echo y > a.txt", ledger.Incomplete, "reviewer lint: it changed its copy: a.txt;"},
		"one that cannot run":             {"exit 127", ledger.Incomplete, "reviewer lint: it ended with exit code 127"},
		"one that gives a reason":         {"echo a >&2; echo no such linter >&2; exit 127", ledger.Incomplete, "reviewer lint: it ended with exit code 127: no such linter"},
		"one that fails without output":   {"exit 1", ledger.Incomplete, "reviewer lint: it ended with exit code 1 and gave no findings"},
		"one that fails with a message":   {"echo boom >&2; exit 1", ledger.Incomplete, "reviewer lint: it ended with exit code 1 and gave no findings: boom"},
		"one that does not end":           {"sleep 60", ledger.Incomplete, "reviewer lint: it did not end within 300ms"},
		"one that writes for ever":        {"yes", ledger.Incomplete, "reviewer lint: it ended with exit code 137: it wrote more than 128 MiB and was ended"},
		"one that writes errors for ever": {"trap '' PIPE TERM; cat /dev/zero >&2", ledger.Incomplete, "reviewer lint: it ended with exit code 137: it wrote more than 128 MiB and was ended"},
		"one that prints prose":           {"echo all good", ledger.Incomplete, "reviewer lint: its output cannot be used"},
		"one with a finding": {`echo '{"findings": [{"category": "lint", "severity": "high", "file": "a.txt", "quote": "fine", "title": "no", "remedy": "fix"}]}'; exit 1`,
			ledger.Found, "1 finding blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.Commit("a.txt", "fine\n")
			limit := time.Minute
			if strings.HasPrefix(tt.line, "sleep") {
				limit = 300 * time.Millisecond
			} else if strings.Contains(tt.reason, "MiB") {
				limit = 0 // the size limit ends it
			}
			l := b.loop()
			l.NoFix, l.Verifier = true, panel.Verifier{} // a program's finding needs no verifier
			l.Reviewers = append(l.Reviewers, linter(panel.Command{Line: tt.line, Env: proc.CleanEnv(), Timeout: limit}))
			b.expect(b.run(l), tt.end, tt.reason)
		})
	}
}
