package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Changed returns what a kept attempt changed.
func Changed(ctx context.Context, r *git.Repo, kept git.Commit) (*diffs.Diff, error) {
	return diffs.Between(ctx, r, keptOn(kept), kept.OID)
}

// keptOn returns the commit on which an attempt was made; "" if none.
func keptOn(kept git.Commit) string {
	if len(kept.Parents) == 0 {
		return ""
	}
	return kept.Parents[0]
}

// Part returns a kept attempt with its changes of some files only, as a commit that no ref has,
// and their paths; "" if there are none.
func Part(ctx context.Context, s *site.Site, kept git.Commit, asked func(path string) bool) (part git.Commit, paths []string, err error) {
	d, err := Changed(ctx, s.Repo, kept)
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
	tree, err := worktree.WithEntries(ctx, s.Repo, keptOn(kept), entries)
	if err != nil {
		return git.Commit{}, nil, err
	}
	who, err := s.Store.Who(ctx)
	if err != nil {
		return git.Commit{}, nil, err
	}
	oid, err := s.Repo.WriteCommit(ctx, tree, kept.Parents, who, who, kept.Message)
	if err != nil {
		return git.Commit{}, nil, err
	}
	part, err = s.Repo.ReadCommit(ctx, oid)
	return part, paths, err
}
