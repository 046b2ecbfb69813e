package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
)

func (p *Place) Changeset(ctx context.Context, tree string) (Changeset, error) {
	from := p.Repo.EmptyTree()
	if p.Before.Head != "" {
		from = p.Before.Head
	}
	d, err := diffs.Between(ctx, p.Repo, from, tree)
	return Changeset{Head: p.Before.Head, Tree: tree, Diff: d}, err
}

// Changeset is what an attempt changed: the tree it would commit against the
// commit it began at.
type Changeset struct {
	Head string // empty on an unborn branch
	Tree string
	Diff *diffs.Diff
}
