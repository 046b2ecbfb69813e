package persons

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// What is kept of a person's untracked files is bounded, in bytes and files.
const (
	maxUntracked      = 64 << 20
	maxUntrackedFiles = 20_000
)

// Remember returns what is noted before a session at a task of the person's files in a tree, as its
// status is now: those that are untracked or ignored, and those that they hide from git and have
// edited. It keeps the contents, but not of ignored ones, as a tree, unless they are the same as
// last time. What cannot be kept is reported now: afterwards it would be too late.
func Remember(ctx context.Context, s *site.Site, tree *git.Repo, now *worktree.Status, name string) (was checkout.InProgress, err error) {
	was = checkout.InProgress{Name: name, Ignored: now.Ignored}
	for _, path := range now.Untracked {
		was.Untracked = append(was.Untracked, worktree.RawFileOf(tree, path))
	}
	if was.Hidden, err = worktree.HiddenEdits(ctx, tree); err != nil {
		return was, err
	}
	was.Kept, was.LeftOut, err = keepContents(ctx, s, tree, name, was.Uncommitted())
	return was, err
}

// Fitting returns the paths of those files, the smallest, of which as much is kept as of a
// person's, and the other files.
func Fitting(files []worktree.RawFile) (fits []string, tooBig []worktree.RawFile) {
	return worktree.Fits(files, maxUntracked, maxUntrackedFiles)
}

// keepContents keeps the contents of some files as a tree; leftOut are those that could not be
// kept. What the task before this one found unchanged is already kept.
func keepContents(ctx context.Context, s *site.Site, tree *git.Repo, name string, files []worktree.RawFile) (kept string, leftOut []string, err error) {
	if last := s.Found(); slices.EqualFunc(files, last.Files, worktree.RawFile.Same) && (last.Tree != "" || last.LeftOut != nil) {
		return last.Tree, last.LeftOut, nil
	}
	fits, tooBig := Fitting(slices.DeleteFunc(slices.Clone(files), func(f worktree.RawFile) bool { return strings.HasSuffix(f.Path, "/") }))
	if len(fits) > 0 {
		if kept, leftOut, err = worktree.KeepRaw(ctx, tree, fits); err != nil {
			return "", nil, err
		}
	}
	reportLeftOut(s, name, leftOut, tooBig)
	for _, f := range tooBig {
		leftOut = append(leftOut, f.Path)
	}
	s.SetFound(site.Found{Files: files, Tree: kept, LeftOut: leftOut})
	return kept, leftOut, nil
}

func reportLeftOut(s *site.Site, name string, unread []string, tooBig []worktree.RawFile) {
	if len(tooBig) > 0 {
		var names []string
		for _, f := range tooBig {
			names = append(names, fmt.Sprintf("%s (%d MB)", f.Path, f.Size>>20))
		}
		s.ReportLeft(name, "not tracked, and too big to be kept, should a session change it: "+visible.Few(names))
	}
	if len(unread) > 0 {
		s.ReportLeft(name, "not tracked, and cannot be read, so it is not kept, should a session change it: "+visible.Few(unread))
	}
}
