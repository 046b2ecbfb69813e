package place

import (
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
)

// Changeset is what a tree changes against the commit at which the task began.
func (p *Place) Changeset(ctx context.Context, tree string) (Changeset, error) {
	if p.change.Diff != nil && p.change.Head == p.Before.Head && p.change.Tree == tree { // it was asked for before
		return p.change, nil
	}
	from := p.Repo.EmptyTree()
	if p.Before.Head != "" {
		from = p.Before.Head
	}
	d, err := diffs.Between(ctx, p.Repo, from, tree)
	if err != nil {
		return Changeset{}, err
	}
	p.change = Changeset{Head: p.Before.Head, Tree: tree, Diff: d, Rewritten: p.ledger.Rewritten}
	return p.change, nil
}

// Guarded is what a guard says of a changeset.
type Guarded struct {
	Failing  []string // lines: why it must not be committed
	Reported []string // lines: what a person should know of it

	// Unexplained are the files outside of the step's by which it fails, since the session gave no
	// reason for changing them: whoever changed them may not be a session.
	Unexplained []string
}

// Changeset is what an attempt changed: the tree it would commit against the
// commit it began at.
type Changeset struct {
	Head string // empty on an unborn branch
	Tree string
	Diff *diffs.Diff

	// Declared are the changed files that the session says it had to change in addition to those
	// of its step; ByHand says that no session made the change, so that nothing is declared.
	Declared []agent.Drift
	ByHand   bool

	// Rewritten are the tracked files that checks changed, and no session before them.
	Rewritten []string
}

// Touches reports whether a path is one of those that changed.
func (c Changeset) Touches(p string) bool {
	return slices.ContainsFunc(c.Diff.Files, func(f diffs.FileDiff) bool { return f.Path == p || f.OldPath == p })
}
