package place

import (
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// A kept attempt is put into the tree to go on from, and what is in the tree is taken out of it
// once it is kept. A git plan that is killed halfway leaves a part of the attempt there: the note
// names it (InProgress.Halfway), so that the next command recognises it, however often this
// happens.

// Halfway notes that a kept attempt is about to be put into the tree, or taken out of it.
func (p *Place) Halfway(kept string) error {
	if !p.isolation.lasts() { // the clone is made again
		return nil
	}
	p.own.Halfway = kept
	return p.noteProgress()
}

// ClearHalfway takes a kept attempt out of the tree that a killed task left there. If a file in
// its place differs from what the attempt has, that is kept as well. All else in the tree is a
// person's, and stays.
func (p *Place) ClearHalfway(ctx context.Context) error {
	note := p.Noted()
	if note.Halfway == "" || note.Apart() || note.OfOtherTree(p.Repo.Top) || note.Branch != p.Branch {
		return nil
	}
	kept, err := p.Repo.ReadCommit(ctx, note.Halfway)
	if err != nil {
		return nil // pruned since: what is there is the person's
	}
	p.Recall()
	paths, err := p.pathsOf(ctx, kept)
	if err != nil {
		return err
	}
	known, err := attempts.Foreign(ctx, p.Repo, p.Before.Head, kept, paths)
	if err != nil {
		return err
	}
	if known != "" {
		ref, err := attempts.Keep(ctx, p.Checkout, known, nil, note.Name, "the work tree, as a crash left it")
		if err != nil {
			return err
		}
		p.ReportLeft(note.Name, "what a crash left in the tree is kept as "+ref)
	}
	if err := worktree.RestorePaths(ctx, p.Repo, p.Before.Head, paths); err != nil {
		return err
	}
	p.Before, err = worktree.ReadStatusIgnored(ctx, p.Repo)
	return err
}

// pathsOf returns the files that an attempt changed, except the person's untracked ones.
func (p *Place) pathsOf(ctx context.Context, kept git.Commit) (out []string, err error) {
	d, err := attempts.Changed(ctx, p.Repo, kept)
	if err != nil {
		return nil, err
	}
	for _, f := range d.Files {
		out = append(out, f.Path)
		if f.OldPath != f.Path {
			out = append(out, f.OldPath)
		}
	}
	out = slices.DeleteFunc(out, p.own.Has)
	return out, nil
}
