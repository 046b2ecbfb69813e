package hooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// PostCheckout returns one line for the person: how far the plan of the branch is that
// was checked out, or else that a branch was deleted and its plan is left, which is
// reported once. It is empty if there is nothing to say.
func PostCheckout(ctx context.Context, c *checkout.Checkout) (string, error) {
	if text := leftWork(c); text != "" {
		return text, nil
	}
	if _, ok := c.PlanID(ctx); ok {
		if err := c.Load(ctx); err != nil {
			return "", err
		}
		p := c.Progress
		if p.Complete() {
			return fmt.Sprintf("plan %s: %s", c.Doc.ID, p.AllDone()), nil
		}
		return fmt.Sprintf("plan %s: %s; see: git plan status", c.Doc.ID, p.Summary()), nil
	}
	return left(ctx, c)
}

// leftWork warns whoever switches to another branch while a git plan is at work in this work tree.
func leftWork(c *checkout.Checkout) string {
	for branch, id := range c.Attached() {
		who, working := journal.Working(c.Repo, id)
		if working && branch != c.Branch && who.GitDir == c.Repo.GitDir && (who.Command == "run" || who.Command == "step") {
			return fmt.Sprintf("%s is at work on branch %s in this work tree: go back, git switch %s, or end it, git plan stop --now %[3]s",
				printable(who.Name()), printable(branch), visible.Shell(branch))
		}
	}
	return ""
}

// left looks for a plan whose branch is gone now. Marks of plans that no branch has
// any more are removed, so that nobody looks for them again.
func left(ctx context.Context, c *checkout.Checkout) (string, error) {
	attached := slices.Collect(maps.Values(c.Attached()))
	for _, id := range journal.MarkAttached.Plans(c.Repo) {
		if slices.Contains(attached, id) {
			continue
		}
		journal.MarkAttached.Clear(c.Repo, id)
		doc, err := c.Store.Load(ctx, id)
		if errors.Is(err, fault.ErrPlanGone) {
			continue
		}
		if err != nil {
			return "", err
		}
		if _, err := c.Repo.Resolve(ctx, "refs/heads/"+doc.Plan.Branch); errors.Is(err, git.ErrMissing) {
			attach := "git plan attach " + id
			if c.Branch == "" || c.Belongs(ctx, doc) != nil { // as attach would say
				attach = "git switch -c BRANCH, then " + attach
			}
			return fmt.Sprintf("plan %s of the deleted branch %s is left: %s, or git plan drop %s", id, printable(doc.Plan.Branch), attach, id), nil
		}
	}
	return "", nil
}
