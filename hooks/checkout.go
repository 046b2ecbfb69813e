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
)

// PostCheckout returns a line about the plan of the branch, or about a plan whose branch was deleted; "" without one.
func PostCheckout(ctx context.Context, c *checkout.Checkout) (string, error) {
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

// left looks for a plan whose branch is gone, and removes the marks of plans that no branch has.
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
			if c.Branch == "" || c.RequireOwnPlan(ctx, doc) != nil { // as attach would say
				attach = "git switch -c BRANCH, then " + attach
			}
			return fmt.Sprintf("plan %s of the deleted branch %s is left: %s, or git plan drop %s", id, printable(doc.Plan.Branch), attach, id), nil
		}
	}
	return "", nil
}
