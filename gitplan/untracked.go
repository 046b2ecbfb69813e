package gitplan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// uncommitted are the files of the person's that no commit has.
func (p *inProgress) uncommitted() []git.RawFile { return slices.Concat(p.Untracked, p.Hidden) }

// rememberUntracked notes the person's untracked files before a session, and those that
// they hide from git and have edited, and keeps their contents as a tree where they are
// not the same as last time. What is not kept is told now: afterwards it would be too late.
func (w *Place) rememberUntracked(ctx context.Context, name string) error {
	var now []git.RawFile
	for _, path := range w.before.Untracked {
		now = append(now, w.tree().RawFileOf(path))
	}
	hidden, err := w.tree().HiddenEdits(ctx)
	if err != nil {
		return err
	}
	p := inProgress{Name: name, Branch: w.Branch, Top: w.Repo.Top, Head: journal.OrNone(w.before.Head), Untracked: now, Ignored: w.before.Ignored,
		Hidden: hidden, Kept: w.own.Kept, LeftOut: w.own.LeftOut, Clone: w.clone != nil}
	now = p.uncommitted()
	if !slices.EqualFunc(now, w.own.uncommitted(), sameFile) || w.own.Kept == "" && w.own.LeftOut == nil {
		files := slices.DeleteFunc(slices.Clone(now), func(f git.RawFile) bool { return strings.HasSuffix(f.Path, "/") })
		fits, tooBig := git.Fits(files, maxUntracked, maxUntrackedFiles)
		p.Kept, p.LeftOut = "", nil
		if len(fits) > 0 {
			if p.Kept, p.LeftOut, err = w.tree().KeepRaw(ctx, fits); err != nil {
				return err
			}
		}
		w.tellLeftOut(name, p.LeftOut, tooBig)
		for _, f := range tooBig {
			p.LeftOut = append(p.LeftOut, f.Path)
		}
	}
	w.own, w.seen = p, nil
	return w.noteProgress()
}

func (w *Place) tellLeftOut(name string, unread []string, tooBig []git.RawFile) {
	if len(tooBig) > 0 {
		var names []string
		for _, f := range tooBig {
			names = append(names, fmt.Sprintf("%s (%d MB)", f.Path, f.Size>>20))
		}
		w.tellLeft(name, "not tracked, and too big to be kept, should a session change it: "+visible.Few(names))
	}
	if len(unread) > 0 {
		w.tellLeft(name, "not tracked, and cannot be read, so it is not kept, should a session change it: "+visible.Few(unread))
	}
}

func sameFile(a, b git.RawFile) bool { return looksSame(a, b) && a.Changed.Equal(b.Changed) }

// looksSame is sameFile by what whoever writes a file can set as they like.
func looksSame(a, b git.RawFile) bool {
	return a.Path == b.Path && a.Size == b.Size && a.Mode == b.Mode && a.Time.Equal(b.Time)
}

// untouched reports that a file is what it was, be it that somebody else has linked it, say.
func (w *Place) untouched(ctx context.Context, before, now git.RawFile) bool {
	return sameFile(before, now) || looksSame(before, now) && w.tree().Holds(ctx, w.own.Kept, now.Path)
}

// untrackedTouched are the person's untracked files that a session changed, or
// removed for good, and what a person is told of them: what is gone is put back, what
// changed is kept as it was. What an attempt before this one did is no news.
func (w *Place) untrackedTouched(ctx context.Context) (touched, told []string) {
	gone := w.gone()
	back := w.bringBack(ctx)
	if w.seen == nil {
		w.seen = map[string]git.RawFile{}
	}
	for _, was := range w.own.uncommitted() {
		before, ok := w.seen[was.Path]
		if !ok {
			before = was
		}
		now := w.tree().RawFileOf(was.Path)
		w.seen[was.Path] = now
		if !slices.Contains(back, was.Path) && !w.untouched(ctx, before, now) {
			touched = append(touched, was.Path)
		}
	}
	lost := slices.DeleteFunc(slices.Clone(gone), func(p string) bool { return slices.Contains(back, p) || !slices.Contains(touched, p) })
	changed := slices.DeleteFunc(slices.Clone(touched), func(p string) bool { return slices.Contains(lost, p) })
	kept := func(paths []string) string {
		if slices.ContainsFunc(paths, func(p string) bool { return !slices.Contains(w.own.LeftOut, p) }) {
			if ref, err := w.keepUntracked(ctx); err == nil && ref != "" {
				return "; what they were is kept as " + ref
			}
		}
		return ""
	}
	list := func(did string, paths []string) string {
		return "the session " + did + " files that are " + w.whyUncommitted(paths) + ": " + visible.OneLine(strings.Join(paths, ", "), 400)
	}
	if len(changed) > 0 {
		told = append(told, list("changed", changed)+kept(changed))
	}
	if len(lost) > 0 {
		told = append(told, list("removed", lost)+kept(lost))
	}
	if len(back) > 0 {
		told = append(told, list("removed", back)+"; they are back")
	}
	if ignored := w.ignoredGone(); len(ignored) > 0 {
		told = append(told, "files that git ignores were removed during the session, and nothing keeps those: "+visible.Few(ignored))
	}
	return touched, told
}

// whyUncommitted says why no commit has some files of the person's.
func (w *Place) whyUncommitted(paths []string) string {
	hidden := func(p string) bool {
		return slices.ContainsFunc(w.own.Hidden, func(f git.RawFile) bool { return f.Path == p })
	}
	switch n := len(slices.DeleteFunc(slices.Clone(paths), hidden)); n {
	case len(paths):
		return "not tracked"
	case 0:
		return "hidden from git"
	}
	return "not tracked, or hidden from git"
}

// tellTouched tells, after a crash, what has changed since the session began of the
// person's files that no commit has. Some of it may be their own doing.
func (w *Place) tellTouched(ctx context.Context, name string) {
	if w.own.Session == "" {
		return
	}
	w.seen = nil
	_, told := w.untrackedTouched(ctx)
	for _, text := range told {
		w.tellLeft(name, text)
	}
}

// gone are the person's untracked files that are not there any more.
func (w *Place) gone() (out []string) {
	for _, u := range w.own.uncommitted() {
		if u.Time.IsZero() {
			continue // it was gone already
		}
		if _, err := os.Lstat(filepath.Join(w.tree().Top, u.Path)); err != nil {
			out = append(out, u.Path)
		}
	}
	return out
}

// bringBack puts what is gone of the person's untracked files back, as it was, and
// returns what could be.
func (w *Place) bringBack(ctx context.Context) []string {
	gone := w.gone()
	if len(gone) == 0 || w.own.Kept == "" {
		return nil
	}
	var files []git.RawFile
	for _, u := range w.own.uncommitted() {
		if slices.Contains(gone, u.Path) {
			files = append(files, u)
		}
	}
	failed := w.tree().PutRaw(ctx, w.own.Kept, files)
	return slices.DeleteFunc(gone, func(p string) bool { return slices.Contains(failed, p) })
}

// mostIgnored bounds the files that git ignores and that are looked for.
const mostIgnored = 5000

// ignoredGone are files of the person's that git ignores and that are gone, once.
// What tools make, they also remove.
func (w *Place) ignoredGone() (out []string) {
	for i, p := range w.own.Ignored {
		if i == mostIgnored {
			break
		}
		if _, told := w.seen[p]; told || byTools(p) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(w.tree().Top, p)); errors.Is(err, fs.ErrNotExist) {
			w.seen[p] = git.RawFile{}
			out = append(out, p)
		}
	}
	return out
}

func (w *Place) keepUntracked(ctx context.Context) (ref string, err error) {
	if w.own.Kept == "" {
		return "", nil
	}
	return w.keepTree(ctx, w.own.Kept, nil, w.own.Name, "untracked files as they were before the session")
}
