package reviewers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Every kind of reviewer keeps the same promises.
func TestEveryReviewerKeepsTheContract(t *testing.T) {
	b := newBranch(t)
	token := "gh" + "p_" + "R4nd0mLy8Drawn2Value7Of9Thirty3Six6X"
	head := b.commit("a.txt", "first\nBUG here\n"+"key = "+token+"\n")
	target := func() *Target {
		d, err := diffs.Between(t.Context(), b.repo, "main", head)
		if err != nil {
			t.Fatal(err)
		}
		return &Target{
			Base: b.git("rev-parse", "main"), Head: head, Round: 1, Nonce: newNonce(), Dir: b.dir,
			Diff: d, Judge: d, repo: b.repo,
		}
	}
	bugs := script(t, "finds-bugs.sh")
	const sleeps = 300 * time.Second
	for name, kind := range map[string]struct{ answers, sleeps, other Reviewer }{
		"rules":   {answers: Rules{}},
		"persona": {persona("quality", hold(bugs)), persona("quality", hold(fmt.Sprintf("sleep %.0f", sleeps.Seconds()))), persona("other", hold(bugs))},
		"command": {&Command{CommandName: "lint", Line: bugs, Env: proc.Clean()}, &Command{CommandName: "lint", Line: fmt.Sprintf("sleep %.0f", sleeps.Seconds()), Env: proc.Clean()}, &Command{CommandName: "other", Line: bugs}},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			r := kind.answers.Review(t.Context(), target())
			if r.Incomplete != "" || !slices.Equal(r.Covered, []string{"a.txt"}) || len(r.Findings) != 1 {
				t.Fatalf("%+v", r)
			}
			if f := r.Findings[0]; f.Line < 2 || f.ID == "" || f.Near == "" || f.Round != 1 || !slices.Equal(f.Reviewers, []string{kind.answers.Name()}) {
				t.Errorf("%+v", f)
			}
			if again := kind.answers.Review(t.Context(), target()); again.Findings[0].ID != r.Findings[0].ID {
				t.Error("the same finding has another identity the second time")
			}
			if kind.sleeps == nil {
				return
			}
			if kind.other.Digest() == kind.answers.Digest() {
				t.Error("two reviewers have one digest")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			began := time.Now()
			if r := kind.sleeps.Review(ctx, target()); r.Incomplete == "" || len(r.Covered) > 0 {
				t.Errorf("it answered after its time: %+v", r)
			}
			if took := time.Since(began); took >= sleeps {
				t.Errorf("it was waited for: %s", took)
			}
		})
	}
}

// An answer that was given but belongs to a session that did not end well is none.
func TestAFailedSessionHasNoAnswer(t *testing.T) {
	b := newBranch(t)
	b.commit("a.txt", "fine\n")
	for _, status := range []agent.Status{agent.Failed, agent.Blocked, agent.Limited, agent.Unreachable, agent.Unauthorised, agent.TimedOut, agent.Cancelled} {
		l := b.loop()
		l.Reviewers = []Reviewer{persona("quality", func(ctx context.Context, s agent.Session) agent.Result {
			r := hold(script(t, "finds-bugs.sh"))(ctx, s)
			if err := s.Accept(ctx, r); err != nil {
				t.Error(err)
			}
			r.Status = status
			return r
		})}
		out := b.run(l)
		b.expect(out, Incomplete, "reviewer quality: "+string(status))
		if len(out.Ledger.Covered()) > 0 || !strings.Contains(text(out), "gave no answer") {
			t.Error(text(out))
		}
	}
}
