package place

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place/persons"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RestoreAttempt puts what an attempt had changed into the work tree, which must be clean; only
// some files or folders, if any are named. Nothing is committed.
func RestoreAttempt(ctx context.Context, s *site.Site, k site.Kept, paths ...string) error {
	p, err := Ready(ctx, s)
	if err != nil {
		return err
	}
	commit, err := p.Repo.ReadCommit(ctx, k.Commit)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		if commit, err = named(ctx, s, k, commit, paths); err != nil {
			return err
		}
	}
	err = p.PutKept(ctx, commit)
	if errors.Is(err, worktree.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrDoesNotFit, Name: k.Name, Text: fmt.Sprintf("attempt %s conflicts with what the branch has now", k.Name)}
	}
	return err
}

// named returns the part of an attempt that is in some files and folders. It must have changed
// each of them.
func named(ctx context.Context, s *site.Site, k site.Kept, kept git.Commit, names []string) (git.Commit, error) {
	used := map[string]bool{}
	part, _, err := Part(ctx, s, kept, func(path string) (is bool) {
		for _, n := range names {
			if at := strings.TrimSuffix(n, "/"); path == at || strings.HasPrefix(path, at+"/") || at == "." {
				used[n], is = true, true
			}
		}
		return is
	})
	for _, n := range names {
		if err == nil && !used[n] {
			err = fault.New(fault.ErrUnknownAttempt, "attempt %s did not change %s", k.Name, visible.OneLine(n, 200))
		}
	}
	return part, err
}

// PutKept puts what a kept attempt had changed into the tree of sessions, which is
// clean. It refuses to overwrite a file of the person's: ErrInTheWay.
func (p *Place) PutKept(ctx context.Context, kept git.Commit) error {
	inTheWay, err := persons.InTheWay(ctx, p.Tree(), p.Before, keptOn(kept), kept.OID)
	if err != nil {
		return err
	}
	if len(inTheWay) > 0 {
		return fault.New(fault.ErrInTheWay, "%s is not tracked, and what the attempt had made would overwrite it", visible.OneLine(inTheWay[0], 200))
	}
	return worktree.ApplyCommit(ctx, p.Tree(), kept, p.Before.Head)
}

// KeepAllBut is Keep, after which the tree is as it was but for these files.
func (p *Place) KeepAllBut(ctx context.Context, name, reason string, files []string) (ref string, err error) {
	if ref, err = p.Keep(ctx, name, reason); err != nil || ref == "" {
		return "", err
	}
	kept, err := p.Repo.ReadCommit(ctx, ref)
	if err != nil {
		return "", err
	}
	part, stays, err := Part(ctx, p.Site, kept, func(path string) bool { return !slices.Contains(files, path) })
	if err != nil || len(stays) == 0 {
		return ref, err
	}
	return ref, p.PutKept(ctx, part)
}
