package place

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RestoreAttempt puts what an attempt had changed into the work tree, which
// must be clean. Nothing is committed.
func RestoreAttempt(ctx context.Context, s *site.Site, k site.Kept) error {
	p, err := Ready(ctx, s)
	if err != nil {
		return err
	}
	commit, err := p.Repo.ReadCommit(ctx, k.Commit)
	if err != nil {
		return err
	}
	err = p.PutKept(ctx, commit)
	if errors.Is(err, worktree.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrFitsNot, Name: k.Name, Text: fmt.Sprintf("attempt %s conflicts with what the branch has now", k.Name)}
	}
	return err
}

// PutKept puts what a kept attempt had changed into the tree of sessions, which is
// clean. It refuses to overwrite a file of the person's: ErrInTheWay.
func (p *Place) PutKept(ctx context.Context, kept git.Commit) error {
	from := ""
	if len(kept.Parents) > 0 {
		from = kept.Parents[0]
	}
	inTheWay, err := InTheWay(ctx, p.Tree(), p.Before, from, kept.OID)
	if err != nil {
		return err
	}
	if len(inTheWay) > 0 {
		return fault.New(fault.ErrInTheWay, "%s is not tracked, and what the attempt had made would overwrite it", visible.OneLine(inTheWay[0], 200))
	}
	return worktree.ApplyCommit(ctx, p.Tree(), kept, p.Before.Head)
}
