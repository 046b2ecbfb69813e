package attempts

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Changed returns what a kept attempt changed.
func Changed(ctx context.Context, r *git.Repo, kept git.Commit) (*diffs.Diff, error) {
	return diffs.Between(ctx, r, On(kept), kept.OID)
}

// On returns the commit on which an attempt was made; "" if none.
func On(kept git.Commit) string {
	if len(kept.Parents) == 0 {
		return ""
	}
	return kept.Parents[0]
}

// Part returns a kept attempt with its changes of some files only, as a commit that no ref has,
// and their paths; "" if there are none.
func Part(ctx context.Context, c *checkout.Checkout, kept git.Commit, asked func(path string) bool) (part git.Commit, paths []string, err error) {
	d, err := Changed(ctx, c.Repo, kept)
	if err != nil {
		return git.Commit{}, nil, err
	}
	var entries []worktree.Entry
	for _, f := range d.Files {
		if f.OldPath != f.Path && f.Status == 'R' && asked(f.OldPath) {
			entries = append(entries, worktree.Entry{Path: f.OldPath})
		}
		switch {
		case !asked(f.Path):
		case f.Status == 'D':
			entries = append(entries, worktree.Entry{Path: f.Path})
		default:
			entries = append(entries, worktree.Entry{Path: f.Path, Mode: f.NewMode, OID: f.NewOID})
		}
	}
	if len(entries) == 0 {
		return git.Commit{}, nil, nil
	}
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	tree, err := worktree.WithEntries(ctx, c.Repo, On(kept), entries)
	if err != nil {
		return git.Commit{}, nil, err
	}
	who, err := c.Store.Who(ctx)
	if err != nil {
		return git.Commit{}, nil, err
	}
	oid, err := c.Repo.WriteCommit(ctx, tree, kept.Parents, who, who, kept.Message)
	if err != nil {
		return git.Commit{}, nil, err
	}
	part, err = c.Repo.ReadCommit(ctx, oid)
	return part, paths, err
}

// PartNamed returns the part of an attempt that is in some files and folders. It must have changed
// each of them.
func PartNamed(ctx context.Context, c *checkout.Checkout, k Kept, kept git.Commit, names []string) (git.Commit, error) {
	used := map[string]bool{}
	part, _, err := Part(ctx, c, kept, func(path string) (is bool) {
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
