package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The user's files that no commit has, and that a session can reach, are untracked, ignored, or
// hidden from git and edited. They are never committed, and put back byte for byte.

// What is kept of them is bounded, in bytes and files.
const (
	maxUntracked      = 64 << 20
	maxUntrackedFiles = 20_000
)

// UserFiles are those of a workspace.
type UserFiles struct {
	of   *Workspace
	seen filesByPath // as they were after the last session
}

// filesByPath are such files as they were at a moment.
type filesByPath map[string]worktree.RawFile

// remember returns the state of a task before its session, with the user's files. It keeps the
// contents, but not of ignored ones, as a tree, unless they are the same as last time. What cannot be
// kept is reported now: afterwards it would be too late.
func (u *UserFiles) remember(ctx context.Context, name string) (was checkout.TaskState, err error) {
	was.Ignored = u.of.Before.Ignored
	for _, path := range u.of.Before.Untracked {
		was.Untracked = append(was.Untracked, worktree.RawFileOf(u.of.Tree(), path))
	}
	if was.Hidden, err = worktree.HiddenEdits(ctx, u.of.Tree()); err != nil {
		return was, err
	}
	files := was.Uncommitted()
	if last := u.of.Runner.Found(); slices.EqualFunc(files, last.Files, worktree.RawFile.Same) && (last.Tree != "" || last.LeftOut != nil) {
		was.Kept, was.LeftOut = last.Tree, last.LeftOut
		return was, nil
	}
	noFolders := slices.DeleteFunc(slices.Clone(files), func(f worktree.RawFile) bool { return strings.HasSuffix(f.Path, "/") })
	fits, tooBig := worktree.Fits(noFolders, maxUntracked, maxUntrackedFiles)
	if len(fits) > 0 {
		if was.Kept, was.LeftOut, err = worktree.KeepRaw(ctx, u.of.Tree(), fits); err != nil {
			return was, err
		}
	}
	if len(was.LeftOut) > 0 {
		u.of.Runner.ReportLeft(name, "not tracked, and cannot be read, so it is not kept, should a session change it: "+visible.Few(was.LeftOut))
	}
	var big []string
	for _, f := range tooBig {
		big = append(big, fmt.Sprintf("%s (%d MB)", f.Path, f.Size>>20))
		was.LeftOut = append(was.LeftOut, f.Path)
	}
	if len(big) > 0 {
		u.of.Runner.ReportLeft(name, "not tracked, and too big to be kept, should a session change it: "+visible.Few(big))
	}
	u.of.Runner.SetFound(runner.Found{Files: files, Tree: was.Kept, LeftOut: was.LeftOut})
	return was, nil
}

// Touched returns the user's files that the session changed, or removed for good, and
// lines about them: what is gone is put back, what changed is kept as it was. What the attempts
// before it did, which saw the files, is not reported again.
func (u *UserFiles) Touched(ctx context.Context) (touched, reported []string) {
	now := maps.Clone(u.seen)
	if now == nil {
		now = filesByPath{}
	}
	gone := u.gone()
	back := u.restore(ctx)
	for _, was := range u.of.state.Uncommitted() {
		before, ok := now[was.Path]
		if !ok {
			before = was
		}
		is := worktree.RawFileOf(u.of.Tree(), was.Path)
		now[was.Path] = is
		untouched := before.Same(is) || before.LooksSame(is) && worktree.HoldsRaw(ctx, u.of.Tree(), u.of.state.Kept, is.Path) // somebody may have linked to it
		if !untouched && !slices.Contains(back, was.Path) {
			touched = append(touched, was.Path)
		}
	}
	lost := slices.DeleteFunc(gone, func(path string) bool { return slices.Contains(back, path) || !slices.Contains(touched, path) })
	changed := slices.DeleteFunc(slices.Clone(touched), func(path string) bool { return slices.Contains(lost, path) })
	say := func(did string, paths []string, then string) {
		if len(paths) > 0 {
			reported = append(reported, who(u.of.state)+" "+did+" files that are "+u.why(paths)+": "+visible.OneLine(strings.Join(paths, ", "), 400)+then)
		}
	}
	say("changed", changed, u.keepOld(ctx, changed))
	say("removed", lost, u.keepOld(ctx, lost))
	say("removed", back, "; they are back")
	if ignored := u.ignoredGone(now); len(ignored) > 0 {
		reported = append(reported, "files that git ignores were removed "+during(u.of.state)+", and nothing keeps those: "+visible.Few(ignored))
	}
	u.seen = now
	return touched, reported
}

// keepOld keeps what the files were under a ref, if some paths are among them, and says so.
func (u *UserFiles) keepOld(ctx context.Context, paths []string) string {
	if u.of.state.Kept == "" || !slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(u.of.state.LeftOut, path) }) {
		return ""
	}
	ref, err := checkout.KeepAttempt(ctx, u.of.Runner.Checkout, u.of.state.Kept, nil, u.of.state.Name, "untracked files as they were before the session")
	if err != nil {
		return ""
	}
	return "; what they were is kept as " + ref
}

// reportTouched reports, after a crash, what has changed of the user's files since the session
// began. Some of it may be their own doing.
func (u *UserFiles) reportTouched(ctx context.Context) {
	if u.of.state.Session == "" {
		return
	}
	u.seen = nil
	_, reported := u.Touched(ctx)
	for _, text := range reported {
		u.of.Runner.ReportLeft(u.of.state.Name, text)
	}
}

// who names what was at work here.
func who(state checkout.TaskState) string {
	if state.Phase == checkout.Checking {
		return "a check"
	}
	return "the session"
}

// during says when it was.
func during(state checkout.TaskState) string {
	if state.Phase == checkout.Checking {
		return "while a check ran"
	}
	return "during the session"
}

// why says why no commit has some files of the user's.
func (u *UserFiles) why(paths []string) string {
	hidden := func(path string) bool {
		return slices.ContainsFunc(u.of.state.Hidden, func(h worktree.RawFile) bool { return h.Path == path })
	}
	switch n := len(slices.DeleteFunc(slices.Clone(paths), hidden)); n {
	case len(paths):
		return "not tracked"
	case 0:
		return "hidden from git"
	}
	return "not tracked, or hidden from git"
}

// gone returns the user's untracked files that no longer exist.
func (u *UserFiles) gone() (out []string) {
	for _, f := range u.of.state.Uncommitted() {
		if f.Time.IsZero() {
			continue // it was gone already
		}
		if _, err := os.Lstat(filepath.Join(u.of.Dir(), f.Path)); err != nil {
			out = append(out, f.Path)
		}
	}
	return out
}

// restore restores what is gone of the user's untracked files, and returns those that it
// could restore.
func (u *UserFiles) restore(ctx context.Context) []string {
	gone := u.gone()
	if len(gone) == 0 || u.of.state.Kept == "" {
		return nil
	}
	files := slices.DeleteFunc(u.of.state.Uncommitted(), func(f worktree.RawFile) bool { return !slices.Contains(gone, f.Path) })
	failed := worktree.PutRaw(ctx, u.of.Tree(), u.of.state.Kept, files)
	return slices.DeleteFunc(gone, func(path string) bool { return slices.Contains(failed, path) })
}

// mostIgnored bounds how many files that git ignores are looked for.
const mostIgnored = 5000

// ignoredGone returns the user's files that git ignores and that are gone, except those that
// were seen to be, and notes them there. What tools make, they also remove.
func (u *UserFiles) ignoredGone(seen filesByPath) (out []string) {
	for _, path := range u.of.state.Ignored[:min(len(u.of.state.Ignored), mostIgnored)] {
		if _, reported := seen[path]; reported || byTools(path) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(u.of.Dir(), path)); errors.Is(err, fs.ErrNotExist) {
			seen[path] = worktree.RawFile{}
			out = append(out, path)
		}
	}
	return out
}

// InTheWay returns the files of the user's that a change from one commit or tree to another
// would overwrite in a work tree: git itself overwrites ignored ones without a word.
func InTheWay(ctx context.Context, r *git.Repo, s *worktree.Status, from, to string) ([]string, error) {
	written, err := git.WrittenPaths(ctx, r, from, to)
	return overwritten(r.Top, s, written), err
}

// overwritten returns those of some paths whose place is taken by files of the user's.
func overwritten(top string, s *worktree.Status, written []string) (out []string) {
	all := slices.Concat(s.Untracked, s.Ignored)
	theirs := checkout.PathsOf(all)
	for _, path := range written {
		below := func(p string) bool { return strings.HasPrefix(p, path+"/") }
		if theirs.Has(inPlaceOf(top, path)) || slices.ContainsFunc(all, below) {
			out = append(out, path)
		}
	}
	return out
}

// inPlaceOf returns what takes a path's place: the path itself, or a file or a link above it; "."
// if nothing does.
func inPlaceOf(top, path string) string {
	for at := path; at != "."; at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(top, at)); err == nil && (at == path || !info.IsDir()) {
			return at
		}
	}
	return "."
}
