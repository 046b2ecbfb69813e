package rounds

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/testdata/branches"
)

// branch is a branch under review.
type branch struct{ *branches.Branch }

func newBranch(t *testing.T) *branch {
	t.Helper()
	return &branch{branches.New(t)}
}

// hold runs sessions with a command of the person's own.
func hold(line string, env ...string) panel.RunSession {
	return func(ctx context.Context, s agent.Session) agent.Result {
		s.Env = append(proc.CleanEnv(), env...)
		return (&cli.Command{AgentName: "fake", Line: line}).Run(ctx, s)
	}
}

func persona(name string, h panel.RunSession) *panel.Reviewer {
	return &panel.Reviewer{Persona: panel.Persona{Name: name, Rounds: panel.Every, Blocking: true, Text: "Look."}, RunSession: h}
}

// linter is a reviewer that is a program of the person's own.
func linter(c panel.Command) *panel.Reviewer {
	return &panel.Reviewer{Persona: panel.Persona{Name: "lint", Blocking: true}, Command: &c}
}

// loop is a review by one reviewer who finds BUG and a verifier who agrees.
func (b *branch) loop() *Loop {
	return &Loop{
		Change: panel.Target{Repo: b.Repo, Base: b.Git("merge-base", "main", "HEAD"), PlanID: "p-1234"}, Rounds: 3, BlockOn: finding.High,
		Reviewers: []*panel.Reviewer{persona("quality", hold(branches.Script(b.T, "finds-bugs.sh")))},
		Verifier:  panel.Verifier{RunSession: hold(branches.Script(b.T, "verifies.sh"))},
		Fix: func(context.Context, Repair) (ledger.FixRecord, error) {
			return ledger.FixRecord{Status: agent.Failed, Reason: "there is no fixer"}, nil
		},
		Broken: func(context.Context, int) ([]rules.Hit, error) { return nil, nil },
		Keep:   func(*Progress) {}, Report: func(journal.Notice) {},
	}
}

// run runs the review, and checks that it leaves nothing behind.
func (b *branch) run(l *Loop) *ledger.Outcome {
	b.T.Helper()
	temp := b.T.TempDir()
	b.T.Setenv("TMPDIR", temp)
	out, err := l.Run(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	for _, pattern := range []string{"*", "git-plan-*/*"} {
		left, err := filepath.Glob(filepath.Join(temp, pattern))
		left = slices.DeleteFunc(left, func(path string) bool { return slices.Contains(disk.Temps(temp), path) })
		if err != nil || len(left) > 0 {
			b.T.Errorf("left behind: %v %v", left, err)
		}
	}
	return out
}

func (b *branch) expect(out *ledger.Outcome, end ledger.End, reason string) {
	b.T.Helper()
	if out.Ledger.End != end || !strings.Contains(out.Ledger.Reason, reason) {
		b.T.Errorf("ended %q, %q; want %q, %q\n%s", out.Ledger.End, out.Ledger.Reason, end, reason, out.Ledger.Text())
	}
}

// says is a fixer that answers for every finding and leaves HEAD alone.
func says(disposition, because string) func(context.Context, Repair) (ledger.FixRecord, error) {
	return func(_ context.Context, r Repair) (ledger.FixRecord, error) {
		m := ledger.FixRecord{Status: agent.Done}
		for _, f := range r.Findings {
			m.Dispositions = append(m.Dispositions, agent.Disposition{ID: f.ID, Disposition: disposition, Because: because})
		}
		return m, nil
	}
}

// writes is a fixer that commits a text for a.txt, a different one in each round.
func (b *branch) writes(texts ...string) func(context.Context, Repair) (ledger.FixRecord, error) {
	return func(ctx context.Context, r Repair) (ledger.FixRecord, error) {
		m, _ := says("fixed", "done")(ctx, r)
		m.Head = b.Commit("a.txt", texts[min(r.Review.Round, len(texts))-1])
		return m, nil
	}
}
