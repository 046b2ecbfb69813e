package hooks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/hooked"
)

const planText = `# Add two files

Two files are wanted.

## Steps

- [ ] Add a {#a}
- [ ] Add b {#b}
`

// planned gives the branch a plan that is not approved.
func (b bench) planned(t *testing.T, branch string) *journal.Document {
	t.Helper()
	ctx := context.Background()
	c, err := checkout.Open(ctx)
	hooked.Must(t, err)
	defer c.Close()
	doc, err := c.Store.Create(ctx, []byte(planText), branch, "main", journal.Event{Start: hooked.Git(t, b.Repo, "rev-parse", "main"), By: journal.ByPerson})
	hooked.Must(t, err)
	hooked.Git(t, b.Repo, "config", "branch."+branch+".plan", doc.ID)
	return doc
}

// did records a step as done by a commit.
func (b bench) did(t *testing.T, id, step, commit string) {
	t.Helper()
	ctx := context.Background()
	c, err := checkout.Open(ctx)
	hooked.Must(t, err)
	defer c.Close()
	doc, err := c.Store.Load(ctx, id)
	hooked.Must(t, err)
	hooked.Must(t, c.Store.Apply(ctx, doc, "feature", journal.Change{Event: journal.Event{Kind: journal.Done, Steps: []string{step}, Head: commit, By: journal.ByAgent}}))
}

// finished is a project whose plan is approved and done, by the last two commits.
func finished(t *testing.T) (b bench, doc *journal.Document) {
	t.Helper()
	b = project(t)
	doc = b.planned(t, "feature")
	hooked.Must(t, integrity.Approve(b.checkout(t).Repo, doc.ID, doc.Plan.Source))
	b.did(t, doc.ID, "a", hooked.Git(t, b.Repo, "rev-parse", "HEAD"))
	b.did(t, doc.ID, "b", hooked.Commit(t, b.Repo, "b.txt", "two\n", "Add b\n\nPlan-Step: "+doc.ID+"/b"))
	return b, doc
}

func TestOpenStepsAreReported(t *testing.T) {
	b := project(t)
	b.planned(t, "feature")
	goes(t, b.push(t, "origin", "feature"),
		"feature: its plan is not done: 0 of 2 done: git plan step",
		"feature: its plan is not approved: git plan approve", unreviewed)
}

func TestPushedCommitCountsNotHEAD(t *testing.T) {
	b, doc := finished(t)
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	goes(t, b.push(t, "origin", "feature"), unreviewed)
	goes(t, b.push(t, "origin", "feature~1:refs/heads/feature"), unreviewed)
	goes(t, b.push(t, "origin", "feature", "refs/plans/"+doc.ID), unreviewed)
	goes(t, b.push(t, b.Remote, "feature"), unreviewed) // nothing here records that remote's refs

	// A step that the pushed commit lacks is open there.
	hooked.Git(t, b.Repo, "branch", "--force", "feature", "feature~1")
	goes(t, b.push(t, "origin", "feature"), "feature: its plan is not done: 1 of 2 done", unreviewed)
}

func TestVerdictDependsOnThePlansMeaning(t *testing.T) {
	b, doc := finished(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	b.verdict(t, "feature", nil, ledger.Clean)
	stops(t, b.push(t, "origin", "feature"), "no review has passed")
	b.verdict(t, "feature", doc.Plan, ledger.Clean)
	goes(t, b.push(t, "origin", "feature", "refs/plans/"+doc.ID))
	hooked.Git(t, b.Repo, "update-ref", "refs/plan-remotes/origin/"+doc.ID, "refs/plans/"+doc.ID+"~1")
	goes(t, b.push(t, "origin", "feature"), "feature: its plan has changed since it was pushed: git plan push origin")
	hooked.Git(t, b.Repo, "update-ref", "refs/plan-remotes/origin/"+doc.ID, "refs/plans/"+doc.ID)
	goes(t, b.push(t, "origin", "feature"))
}

// A part of the branch passes if exactly that part was reviewed, with its plan.
func TestReviewedPartOfABranchIsPushed(t *testing.T) {
	b, doc := finished(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Git(t, b.Repo, "update-ref", "refs/plan-remotes/origin/"+doc.ID, "refs/plans/"+doc.ID)
	third := hooked.Commit(t, b.Repo, "c.txt", "three\n", "Go on by hand")
	b.verdict(t, third, doc.Plan, ledger.Clean)
	hooked.Commit(t, b.Repo, "d.txt", "four\n", "And on")
	goes(t, b.push(t, "origin", third+":refs/heads/feature"))
	stops(t, b.push(t, "origin", "feature"), "no review has passed")
	b.verdict(t, "feature~3", nil, ledger.Clean)
	stops(t, b.push(t, "origin", "feature~3:refs/heads/feature"), "no review has passed")
	hooked.Git(t, b.Repo, "switch", "--quiet", "--detach", third)
	goes(t, b.push(t, "origin", "HEAD:refs/heads/feature"))
	hooked.Commit(t, b.Repo, "e.txt", "five\n", "What the branch does not have")
	stops(t, b.push(t, "origin", "HEAD:refs/heads/feature"), "no review has passed")
}

func TestPlansOfOtherBranches(t *testing.T) {
	b := project(t)
	b.planned(t, "feature")
	hooked.Git(t, b.Repo, "branch", "--copy", "feature", "copy") // copies the key too
	goes(t, b.push(t, "origin", "copy"), "copy: this push "+unreviewed)

	// A renamed branch keeps its plan, even if another branch has its old name now.
	hooked.Git(t, b.Repo, "branch", "--delete", "--force", "copy")
	hooked.Git(t, b.Repo, "branch", "--move", "feature", "renamed")
	hooked.Git(t, b.Repo, "branch", "feature", "main")
	hooked.Contains(t, strings.Join(b.push(t, "origin", "renamed").Lines, "\n"), "renamed: its plan is not done: 0 of 2 done")

	// A deleted plan counts as none; an invalid one is reported.
	hooked.Git(t, b.Repo, "config", "branch.main.plan", "none-1234")
	goes(t, b.push(t, "origin", "main:again"))
	hooked.Git(t, b.Repo, "update-ref", "refs/plans/none-1234", "main")
	goes(t, b.push(t, "origin", "main:again"), "again: its plan cannot be read")
}
