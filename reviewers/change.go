package reviewers

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// change is what the rules look at, without history or plan.
func change(ctx context.Context, r *git.Repo, d *git.Diff) rules.Change {
	return rules.Change{Diff: d, Read: func(oid string) ([]byte, error) {
		o, err := r.Read(ctx, oid)
		return o.Data, err
	}}
}
