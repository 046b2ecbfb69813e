package reviewers

import (
	"bytes"
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// PullRequest returns the text of a pull request for the branch and its plan.
func PullRequest(ctx context.Context, co *checkout.Checkout) ([]byte, error) {
	tree, err := co.Repo.Resolve(ctx, "HEAD^{tree}")
	if err != nil {
		return nil, err
	}
	reviewed, err := reviewedPlan(ctx, co)
	if err != nil {
		return nil, err
	}
	pr := &ledger.PullRequest{Plan: co.Doc.Plan, Progress: co.Progress, HeadTree: tree, Reviewed: reviewed, Manual: progress.Manuals(co.Doc.Plan, co.Doc.Events)}
	pr.LeftOut, _ = progress.Unreviewed(co.Doc.Events)
	var text bytes.Buffer
	if pr.Ledger, err = ledger.Last(ctx, co.Store, co.Doc, co.Branch); err == nil {
		_, err = pr.WriteTo(&text)
	}
	return text.Bytes(), err
}

// reviewedPlan returns the plan as it was at its last review, whose rounds ran the commands; nil if there was none.
func reviewedPlan(ctx context.Context, co *checkout.Checkout) (*plan.Plan, error) {
	for _, e := range slices.Backward(co.Doc.Events) {
		if e.Kind == journal.Reviewed {
			text, err := co.Version(ctx, e.Commit)
			if err != nil {
				return nil, err
			}
			return plan.Parse(text)
		}
	}
	return nil, nil
}
