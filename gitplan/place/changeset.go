package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/git"
)

func (p *Place) Changeset(ctx context.Context, tree string) (Changeset, error) {
	from := p.Repo.EmptyTree()
	if p.Before.Head != "" {
		from = p.Before.Head
	}
	d, err := p.Repo.Diff(ctx, from, tree)
	return Changeset{Head: p.Before.Head, Tree: tree, Diff: d}, err
}

// Changeset is what an attempt changed: the tree it would commit against the
// commit it began at.
type Changeset struct {
	Head string // empty on an unborn branch
	Tree string
	Diff *git.Diff
}
