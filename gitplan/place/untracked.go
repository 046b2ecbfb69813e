package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// What is kept of a person's untracked files is bounded, in bytes and files.
const (
	maxUntracked      = 64 << 20
	maxUntrackedFiles = 20_000
)

// RememberUntracked notes, before a session, the person's untracked files and those that they
// hide from git and have edited. It keeps their contents as a tree, unless they are the same as
// last time. What cannot be kept is reported now: afterwards it would be too late.
func (p *Place) RememberUntracked(ctx context.Context, name string) error {
	var now []worktree.RawFile
	for _, path := range p.Before.Untracked {
		now = append(now, worktree.RawFileOf(p.Tree(), path))
	}
	hidden, err := worktree.HiddenEdits(ctx, p.Tree())
	if err != nil {
		return err
	}
	found := checkout.InProgress{Name: name, Branch: p.Branch, Top: p.Repo.Top, Head: journal.OrNone(p.Before.Head), Untracked: now, Ignored: p.Before.Ignored,
		Hidden: hidden, Ground: p.isolation.name()}
	if found.Kept, found.LeftOut, err = p.keepContents(ctx, name, found.Uncommitted()); err != nil {
		return err
	}
	p.own, p.seen = found, nil
	p.began = p.Now()
	return p.noteProgress()
}

// keepContents keeps the contents of some files as a tree; leftOut are those that could not be
// kept. What the task before this one found unchanged is already kept.
func (p *Place) keepContents(ctx context.Context, name string, files []worktree.RawFile) (tree string, leftOut []string, err error) {
	if last := p.Found(); slices.EqualFunc(files, last.Files, worktree.RawFile.Same) && (last.Tree != "" || last.LeftOut != nil) {
		return last.Tree, last.LeftOut, nil
	}
	fits, tooBig := worktree.Fits(slices.DeleteFunc(slices.Clone(files), func(f worktree.RawFile) bool { return strings.HasSuffix(f.Path, "/") }), maxUntracked, maxUntrackedFiles)
	if len(fits) > 0 {
		if tree, leftOut, err = worktree.KeepRaw(ctx, p.Tree(), fits); err != nil {
			return "", nil, err
		}
	}
	p.reportLeftOut(name, leftOut, tooBig)
	for _, f := range tooBig {
		leftOut = append(leftOut, f.Path)
	}
	p.SetFound(site.Found{Files: files, Tree: tree, LeftOut: leftOut})
	return tree, leftOut, nil
}

func (p *Place) reportLeftOut(name string, unread []string, tooBig []worktree.RawFile) {
	if len(tooBig) > 0 {
		var names []string
		for _, f := range tooBig {
			names = append(names, fmt.Sprintf("%s (%d MB)", f.Path, f.Size>>20))
		}
		p.ReportLeft(name, "not tracked, and too big to be kept, should a session change it: "+visible.Few(names))
	}
	if len(unread) > 0 {
		p.ReportLeft(name, "not tracked, and cannot be read, so it is not kept, should a session change it: "+visible.Few(unread))
	}
}

// untouched reports whether a file is what it was, even if somebody else has linked to it since.
func (p *Place) untouched(ctx context.Context, before, now worktree.RawFile) bool {
	return before.Same(now) || before.LooksSame(now) && worktree.HoldsRaw(ctx, p.Tree(), p.own.Kept, now.Path)
}

// UntrackedTouched returns the person's untracked files that a session changed, or removed for
// good, and lines about them for the person: what is gone is put back, what changed is kept as it
// was. What an attempt before this one did is not reported again.
func (p *Place) UntrackedTouched(ctx context.Context) (touched, reported []string) {
	gone := p.gone()
	back := p.bringBack(ctx)
	if p.seen == nil {
		p.seen = map[string]worktree.RawFile{}
	}
	for _, was := range p.own.Uncommitted() {
		before, ok := p.seen[was.Path]
		if !ok {
			before = was
		}
		now := worktree.RawFileOf(p.Tree(), was.Path)
		p.seen[was.Path] = now
		if !slices.Contains(back, was.Path) && !p.untouched(ctx, before, now) {
			touched = append(touched, was.Path)
		}
	}
	lost := slices.DeleteFunc(slices.Clone(gone), func(path string) bool { return slices.Contains(back, path) || !slices.Contains(touched, path) })
	changed := slices.DeleteFunc(slices.Clone(touched), func(path string) bool { return slices.Contains(lost, path) })
	where := func(paths []string) string {
		if slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(p.own.LeftOut, path) }) {
			if ref, err := p.keepUntracked(ctx); err == nil && ref != "" {
				return "; what they were is kept as " + ref
			}
		}
		return ""
	}
	list := func(did string, paths []string) string {
		return p.who() + " " + did + " files that are " + p.whyUncommitted(paths) + ": " + visible.OneLine(strings.Join(paths, ", "), 400)
	}
	if len(changed) > 0 {
		reported = append(reported, list("changed", changed)+where(changed))
	}
	if len(lost) > 0 {
		reported = append(reported, list("removed", lost)+where(lost))
	}
	if len(back) > 0 {
		reported = append(reported, list("removed", back)+"; they are back")
	}
	if ignored := p.ignoredGone(); len(ignored) > 0 {
		reported = append(reported, "files that git ignores were removed "+p.during()+", and nothing keeps those: "+visible.Few(ignored))
	}
	return touched, reported
}

// who names what was at work here.
func (p *Place) who() string {
	if p.own.Proving {
		return "a check"
	}
	return "the session"
}

func (p *Place) during() string {
	if p.own.Proving {
		return "while a check ran"
	}
	return "during the session"
}

// whyUncommitted says why no commit has some files of the person's.
func (p *Place) whyUncommitted(paths []string) string {
	hidden := func(path string) bool {
		return slices.ContainsFunc(p.own.Hidden, func(f worktree.RawFile) bool { return f.Path == path })
	}
	switch n := len(slices.DeleteFunc(slices.Clone(paths), hidden)); n {
	case len(paths):
		return "not tracked"
	case 0:
		return "hidden from git"
	}
	return "not tracked, or hidden from git"
}

// reportTouched reports, after a crash, what has changed since the session began of the
// person's files that no commit has. Some of it may be their own doing.
func (p *Place) reportTouched(ctx context.Context, name string) {
	if p.own.Session == "" {
		return
	}
	p.seen = nil
	_, reported := p.UntrackedTouched(ctx)
	for _, text := range reported {
		p.ReportLeft(name, text)
	}
}

// gone returns the person's untracked files that no longer exist.
func (p *Place) gone() (out []string) {
	for _, u := range p.own.Uncommitted() {
		if u.Time.IsZero() {
			continue // it was gone already
		}
		if _, err := os.Lstat(filepath.Join(p.Tree().Top, u.Path)); err != nil {
			out = append(out, u.Path)
		}
	}
	return out
}

// bringBack restores what is gone of the person's untracked files, and returns those that it
// could restore.
func (p *Place) bringBack(ctx context.Context) []string {
	gone := p.gone()
	if len(gone) == 0 || p.own.Kept == "" {
		return nil
	}
	var files []worktree.RawFile
	for _, u := range p.own.Uncommitted() {
		if slices.Contains(gone, u.Path) {
			files = append(files, u)
		}
	}
	failed := worktree.PutRaw(ctx, p.Tree(), p.own.Kept, files)
	return slices.DeleteFunc(gone, func(path string) bool { return slices.Contains(failed, path) })
}

// mostIgnored bounds how many files that git ignores are looked for.
const mostIgnored = 5000

// ignoredGone returns, once, the person's files that git ignores and that are gone. What tools
// make, they also remove.
func (p *Place) ignoredGone() (out []string) {
	for i, path := range p.own.Ignored {
		if i == mostIgnored {
			break
		}
		if _, reported := p.seen[path]; reported || unseen.ByTools(path) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(p.Tree().Top, path)); errors.Is(err, fs.ErrNotExist) {
			p.seen[path] = worktree.RawFile{}
			out = append(out, path)
		}
	}
	return out
}

func (p *Place) keepUntracked(ctx context.Context) (ref string, err error) {
	if p.own.Kept == "" {
		return "", nil
	}
	return p.KeepTree(ctx, p.own.Kept, nil, p.own.Name, "untracked files as they were before the session")
}
