package persons

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Files are the person's files that no commit has, where a session works.
type Files struct {
	Site *site.Site
	Tree *git.Repo            // with the files
	Was  *checkout.InProgress // what Remember returned
}

// Seen are such files as they were after a session, by path.
type Seen map[string]worktree.RawFile

// untouched reports whether a file is what it was, even if somebody else has linked to it since.
func (f Files) untouched(ctx context.Context, before, now worktree.RawFile) bool {
	return before.Same(now) || before.LooksSame(now) && worktree.HoldsRaw(ctx, f.Tree, f.Was.Kept, now.Path)
}

// Touched returns the files that a session changed, or removed for good, and lines about them for
// the person: what is gone is put back, what changed is kept as it was. What the attempts before
// it did, which saw the files, is not reported again.
func (f Files) Touched(ctx context.Context, saw Seen) (now Seen, touched, reported []string) {
	now = maps.Clone(saw)
	if now == nil {
		now = Seen{}
	}
	gone := f.gone()
	back := f.BringBack(ctx)
	for _, was := range f.Was.Uncommitted() {
		before, ok := now[was.Path]
		if !ok {
			before = was
		}
		is := worktree.RawFileOf(f.Tree, was.Path)
		now[was.Path] = is
		if !slices.Contains(back, was.Path) && !f.untouched(ctx, before, is) {
			touched = append(touched, was.Path)
		}
	}
	lost := slices.DeleteFunc(slices.Clone(gone), func(path string) bool { return slices.Contains(back, path) || !slices.Contains(touched, path) })
	changed := slices.DeleteFunc(slices.Clone(touched), func(path string) bool { return slices.Contains(lost, path) })
	where := func(paths []string) string {
		if slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(f.Was.LeftOut, path) }) {
			if ref, err := f.keep(ctx); err == nil && ref != "" {
				return "; what they were is kept as " + ref
			}
		}
		return ""
	}
	list := func(did string, paths []string) string {
		return f.Who() + " " + did + " files that are " + f.Why(paths) + ": " + visible.OneLine(strings.Join(paths, ", "), 400)
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
	if ignored := f.ignoredGone(now); len(ignored) > 0 {
		reported = append(reported, "files that git ignores were removed "+f.During()+", and nothing keeps those: "+visible.Few(ignored))
	}
	return now, touched, reported
}

// Who names what was at work here.
func (f Files) Who() string {
	if f.Was.Proving {
		return "a check"
	}
	return "the session"
}

// During says when it was.
func (f Files) During() string {
	if f.Was.Proving {
		return "while a check ran"
	}
	return "during the session"
}

// Why says why no commit has some files of the person's.
func (f Files) Why(paths []string) string {
	hidden := func(path string) bool {
		return slices.ContainsFunc(f.Was.Hidden, func(h worktree.RawFile) bool { return h.Path == path })
	}
	switch n := len(slices.DeleteFunc(slices.Clone(paths), hidden)); n {
	case len(paths):
		return "not tracked"
	case 0:
		return "hidden from git"
	}
	return "not tracked, or hidden from git"
}

// gone returns the person's untracked files that no longer exist.
func (f Files) gone() (out []string) {
	for _, u := range f.Was.Uncommitted() {
		if u.Time.IsZero() {
			continue // it was gone already
		}
		if _, err := os.Lstat(filepath.Join(f.Tree.Top, u.Path)); err != nil {
			out = append(out, u.Path)
		}
	}
	return out
}

// BringBack restores what is gone of the person's untracked files, and returns those that it
// could restore.
func (f Files) BringBack(ctx context.Context) []string {
	gone := f.gone()
	if len(gone) == 0 || f.Was.Kept == "" {
		return nil
	}
	var files []worktree.RawFile
	for _, u := range f.Was.Uncommitted() {
		if slices.Contains(gone, u.Path) {
			files = append(files, u)
		}
	}
	failed := worktree.PutRaw(ctx, f.Tree, f.Was.Kept, files)
	return slices.DeleteFunc(gone, func(path string) bool { return slices.Contains(failed, path) })
}

// mostIgnored bounds how many files that git ignores are looked for.
const mostIgnored = 5000

// ignoredGone returns the person's files that git ignores and that are gone, but for those that
// were seen to be, and notes them there. What tools make, they also remove.
func (f Files) ignoredGone(seen Seen) (out []string) {
	for i, path := range f.Was.Ignored {
		if i == mostIgnored {
			break
		}
		if _, reported := seen[path]; reported || unseen.ByTools(path) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(f.Tree.Top, path)); errors.Is(err, fs.ErrNotExist) {
			seen[path] = worktree.RawFile{}
			out = append(out, path)
		}
	}
	return out
}

// keep keeps what the files were under a ref.
func (f Files) keep(ctx context.Context) (ref string, err error) {
	if f.Was.Kept == "" {
		return "", nil
	}
	return attempts.Keep(ctx, f.Site.Checkout, f.Was.Kept, nil, f.Was.Name, "untracked files as they were before the session")
}
