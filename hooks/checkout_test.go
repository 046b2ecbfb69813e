package hooks_test

import (
	"context"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// afterCheckout is what post-checkout prints.
func (b bench) afterCheckout(t *testing.T) string {
	t.Helper()
	line, err := hooks.PostCheckout(context.Background(), b.checkout(t))
	hooked.Must(t, err)
	return line
}

func TestCheckoutNamesThePlan(t *testing.T) {
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
