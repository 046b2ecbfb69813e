package place

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// While a task was at work others may have committed on its branch. What it did is then put on
// top of that, in the same place, and judged again. That is quick, but does not cover everything:
// files that both sides changed, and work that a crash or another command left waiting, go into a
// fresh clone (PutKept), where a session can resolve conflicts. Meanwhile the note names the tree
// that passed.

// Moved returns the commit to which the branch has moved since the task began; "" if it has not.
func (p *Place) Moved(ctx context.Context) (head string, err error) {
	now, err := p.Repo.Resolve(ctx, "refs/heads/"+p.Branch)
	if errors.Is(err, git.ErrMissing) || now == p.Before.Head {
		return "", nil
	}
	return now, err
}

// Rebase puts a tree that passed on top of the commit to which the branch has moved. What is in
// place then must be judged again. The error is ErrMovedBranch if that takes a fresh place.
func (p *Place) Rebase(ctx context.Context, before setup.Setup, head, tree, message string) error {
	p.own.Head, p.own.Tree, p.own.Message, p.own.Behind = journal.OrNone(p.Before.Head), tree, message, true
	if err := p.noteProgress(); err != nil {
		return err
	}
	fits, err := p.isolation.rebase(ctx, p, before, tree, head)
	if err == nil && !fits {
		err = p.MovedOn()
	}
	if err != nil {
		return err
	}
	now := *p.Before
	now.Head = head
	p.Before = &now
	return nil
}

func (tree) rebase(context.Context, *Place, setup.Setup, string, string) (bool, error) {
	return false, nil
}

func (c *clone) rebase(ctx context.Context, p *Place, before setup.Setup, tree, head string) (bool, error) {
	if p.Before.Head == "" || !sameSetup(ctx, p.Repo, before.Below(c.r.Top), p.Before.Head, head) {
		return false, nil
	}
	err := worktree.Rebase(ctx, c.r, p.Before.Head, tree, head)
	if errors.Is(err, worktree.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if c.since == "" {
		c.since = p.Before.Head
	}
	p.index, err = worktree.OpenIndex(c.r)
	return err == nil, err
}

// sameSetup reports whether some files and folders are the same in two commits. The part of the
// set-up that a clone has is compared with what it was before the session, until that is over.
func sameSetup(ctx context.Context, r *git.Repo, paths []string, from, to string) bool {
	for _, path := range paths {
		was, err := r.Resolve(ctx, from+":"+path)
		is, err2 := r.Resolve(ctx, to+":"+path)
		gone, gone2 := errors.Is(err, git.ErrMissing), errors.Is(err2, git.ErrMissing)
		if was != is || gone != gone2 || err != nil && !gone || err2 != nil && !gone2 {
			return false
		}
	}
	return true
}
