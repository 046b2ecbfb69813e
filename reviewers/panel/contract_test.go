package panel

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/testdata/branches"
)

// Every kind of reviewer satisfies the same contract.
func TestEveryReviewerKeepsTheContract(t *testing.T) {
	b := branches.New(t)
	token := "gh" + "p_" + "R4nd0mLy8Drawn2Value7Of9Thirty3Six6X"
	head := b.Commit("a.txt", "first\nBUG here\n"+"key = "+token+"\n")
	target := func() *Target {
		d, err := git.DiffTrees(t.Context(), b.Repo, "main", head)
		if err != nil {
			t.Fatal(err)
		}
		return &Target{
			Base: b.Git("rev-parse", "main"), Head: head, Round: 1, Nonce: integrity.Random(12), Dir: b.Dir,
			Diff: d, Judge: d, Repo: b.Repo,
		}
	}
	bugs := branches.Script(t, "finds-bugs.sh")
	const sleeps = 300 * time.Second
	for name, kind := range map[string]struct{ answers, sleeps, other *Reviewer }{
		"persona": {judge("quality", sessions(bugs)), judge("quality", sessions(fmt.Sprintf("sleep %.0f", sleeps.Seconds()))), judge("other", sessions(bugs))},
		"command": {program("lint", bugs), program("lint", fmt.Sprintf("sleep %.0f", sleeps.Seconds())), program("other", bugs)},
	} {
		t.Run(name, func(t *testing.T) {
			b.T = t
			r := kind.answers.Review(t.Context(), target())
			if r.Incomplete != "" || !slices.Equal(r.Covered, []string{"a.txt"}) || len(r.Findings) != 1 {
				t.Fatalf("%+v", r)
			}
			if f := r.Findings[0]; f.Line < 2 || f.ID == "" || f.Near == "" || f.Round != 1 || !slices.Equal(f.Reviewers, []string{kind.answers.Name}) {
				t.Errorf("%+v", f)
			}
			if again := kind.answers.Review(t.Context(), target()); again.Findings[0].ID != r.Findings[0].ID {
				t.Error("the same finding has another identity the second time")
			}
			if kind.sleeps == nil {
				return
			}
			if Digest([]*Reviewer{kind.other}) == Digest([]*Reviewer{kind.answers}) {
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
