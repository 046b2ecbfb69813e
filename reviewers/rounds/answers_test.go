package rounds

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/testdata/branches"
)

// The answer of a session that failed does not count.
func TestFailedSessionHasNoAnswer(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "fine\n")
	for _, status := range []agent.Status{agent.Failed, agent.Blocked, agent.Limited, agent.Unreachable, agent.Unauthorised, agent.TimedOut, agent.Cancelled} {
		l := b.loop()
		l.Reviewers = []*panel.Reviewer{persona("quality", func(ctx context.Context, s agent.Session) agent.Result {
			r := hold(branches.Script(t, "finds-bugs.sh"))(ctx, s)
			if err := s.Accept(ctx, r); err != nil {
				t.Error(err)
			}
			r.Status = status
			return r
		})}
		out := b.run(l)
		b.expect(out, ledger.Incomplete, "reviewer quality: "+string(status))
		if len(out.Ledger.Covered()) > 0 || !strings.Contains(out.Ledger.Text(), "reviewed 0 of 1 file") {
			t.Error(out.Ledger.Text())
		}
	}
}

// Code that was shown to no reviewer keeps a review from passing; files that need not be shown do not, and
// both are reported.
func TestUnseenFilesAreListed(t *testing.T) {
	for path, tt := range map[string]struct {
		text, why string
		end       ledger.End
	}{
		"evil.sh": {"true\x00\nrun\n", "binary", ledger.Incomplete},
		"a.png":   {"\x89PNG\x00\x00", "binary", ledger.Clean},
		"go.sum":  {"x\n", "lock", ledger.Clean},
	} {
		t.Run(path, func(t *testing.T) {
			b := newBranch(t)
			b.Commit(path, tt.text, "a.txt", "fine\n")
			l := b.loop()
			l.Reviewers = []*panel.Reviewer{persona("quality", hold(`printf '{"nonce": "%s", "covered": ["a.txt"], "findings": []}' "$GIT_PLAN_NONCE"`))}
			out := b.run(l)
			out.Ledger.Findings = slices.DeleteFunc(out.Ledger.Findings, func(f finding.Finding) bool { return f.Verified }) // of the rules: another test's
			if tt.end == ledger.Clean && !out.Ledger.End.Passes() || tt.end != ledger.Clean && out.Ledger.End != tt.end {
				t.Errorf("%s: %s", out.Ledger.End, out.Ledger.Reason)
			}
			if got := out.Ledger.Text(); !strings.Contains(got, tt.why+")") || !strings.Contains(got, "judged only by the rules: "+path) {
				t.Error(got)
			}
		})
	}
}
