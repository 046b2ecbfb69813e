package share

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// StoreAnswer stores a person's answer in a blocked step and reports whether the plan is
// approved with it: as for a text that was typed, unless the answer is anybody's.
func StoreAnswer(ctx context.Context, c *checkout.Checkout, step, answer string, anybodys bool) (approved bool, err error) {
	if approved, err = setup.IsApproved(c.Repo, c.Doc.ID, c.Doc.Plan); err != nil {
		return false, err
	}
	if err = c.Answer(ctx, step, answer); err != nil || !approved || anybodys {
		return false, err
	}
	return true, setup.Approve(c.Repo, c.Doc.ID, c.Doc.Plan.Source)
}
