package place

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place/persons"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RestoreAttempt puts what an attempt had changed into the work tree, which must be clean; only
// some files or folders, if any are named. Nothing is committed.
func RestoreAttempt(ctx context.Context, s *site.Site, k attempts.Kept, paths ...string) error {
	p, err := Ready(ctx, s)
	if err != nil {
		return err
	}
	commit, err := p.Repo.ReadCommit(ctx, k.Commit)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		if commit, err = attempts.PartNamed(ctx, s.Checkout, k, commit, paths); err != nil {
			return err
		}
	}
	err = p.PutKept(ctx, commit)
	if errors.Is(err, worktree.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrDoesNotFit, Name: k.Name, Text: fmt.Sprintf("attempt %s conflicts with what the branch has now", k.Name)}
	}
	return err
}

// PutKept puts what a kept attempt had changed into the tree of sessions, which is
// clean. It refuses to overwrite a file of the person's: ErrInTheWay.
func (p *Place) PutKept(ctx context.Context, kept git.Commit) error {
	inTheWay, err := persons.InTheWay(ctx, p.Tree(), p.Before, attempts.On(kept), kept.OID)
	if err != nil {
		return err
	}
	if len(inTheWay) > 0 {
		return fault.New(fault.ErrInTheWay, "%s is not tracked, and what the attempt had made would overwrite it", visible.OneLine(inTheWay[0], 200))
	}
	return worktree.ApplyCommit(ctx, p.Tree(), kept, p.Before.Head)
}

// PutAside takes files out of a tree in which a person works, too: they may be theirs. What the session
// left is kept, and all of it but these files is there again. Where only sessions work nothing is put
// aside, and ref is "".
func (p *Place) PutAside(ctx context.Context, name, reason string, files []string) (ref string, err error) {
	if len(files) == 0 || !p.isolation.lasts() {
		return "", nil
	}
	if ref, err = p.Keep(ctx, name, reason); err != nil || ref == "" {
		return "", err
	}
	kept, err := p.Repo.ReadCommit(ctx, ref)
	if err != nil {
		return "", err
	}
	part, stays, err := attempts.Part(ctx, p.Checkout, kept, func(path string) bool { return !slices.Contains(files, path) })
	if err != nil || len(stays) == 0 {
		return ref, err
	}
	return ref, p.PutKept(ctx, part)
}
