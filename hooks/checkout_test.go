package hooks_test

import (
	"context"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// afterCheckout is what post-checkout says.
func (b bench) afterCheckout(t *testing.T) string {
	t.Helper()
	line, err := hooks.PostCheckout(context.Background(), b.checkout(t))
	hooked.Must(t, err)
	return line
}

func TestACheckoutNamesThePlan(t *testing.T) {
	b := project(t)
	doc := b.planned(t, "feature")
	journal.MarkAttached.Set(b.checkout(t).Repo, doc.ID)
	hooked.Contains(t, b.afterCheckout(t), "plan "+doc.ID+": 0 of 2 done; see: git plan status")
	b.did(t, doc.ID, "a", hooked.Commit(t, b.Repo, "a.txt", "a\n", "Add a\n\nPlan-Step: "+doc.ID+"/a"))
	b.did(t, doc.ID, "b", hooked.Commit(t, b.Repo, "b.txt", "b\n", "Add b\n\nPlan-Step: "+doc.ID+"/b"))
	hooked.Contains(t, b.afterCheckout(t), "plan "+doc.ID+": ")

	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	if line := b.afterCheckout(t); line != "" {
		t.Errorf("on a branch without a plan: %q", line)
	}
	journal.MarkAttached.Set(b.checkout(t).Repo, doc.ID)
	hooked.Git(t, b.Repo, "branch", "--quiet", "--delete", "--force", "feature")
	hooked.Contains(t, b.afterCheckout(t), "plan "+doc.ID+" of the deleted branch feature is left", "git plan drop "+doc.ID)
	if line := b.afterCheckout(t); line != "" {
		t.Errorf("it is said twice: %q", line)
	}
}

// Whoever switches to another branch while a run is at work in this work tree is warned of that: the
// run puts its branch back.
func TestACheckoutDuringARunIsWarnedOf(t *testing.T) {
	b := project(t)
	doc := b.planned(t, "feature")
	lock, err := journal.Acquire(b.checkout(t).Repo, doc.ID, "run")
	hooked.Must(t, err)
	hooked.Contains(t, b.afterCheckout(t), "0 of 2 done")
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	hooked.Contains(t, b.afterCheckout(t), "is at work on branch feature in this work tree: go back, git switch feature, or end it, git plan stop --now feature")
	lock.Release()
	if line := b.afterCheckout(t); line != "" {
		t.Errorf("nobody is at work: %q", line)
	}
}
