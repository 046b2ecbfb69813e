package workspace

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
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The user's files that no commit has, and that a session can reach, are untracked, ignored, or hidden from git
// and edited. They are never committed, and put back byte for byte.

// What is kept of them is bounded, in bytes and files.
const (
	maxUntracked      = 64 << 20
	maxUntrackedFiles = 20_000
)

// UserFiles are those of a workspace.
type UserFiles struct {
	of   *Workspace
	seen map[string]worktree.RawFile // as they were after the last session
}

// record returns the state of a task before its session, with the user's files. Their contents, but not those
// of ignored ones, are kept as a tree, unless they are the same as last time. What cannot be kept is reported.
func (u *UserFiles) record(ctx context.Context, name string) (was checkout.TaskState, err error) {
	was.Ignored = u.of.Before.Ignored
	for _, path := range u.of.Before.Untracked {
		was.Untracked = append(was.Untracked, worktree.RawFileOf(u.of.Tree(), path))
	}
	if was.Hidden, err = worktree.HiddenEdits(ctx, u.of.Tree()); err != nil {
		return was, err
	}
	files := was.Uncommitted()
	if last := u.of.Runner.Found; slices.EqualFunc(files, last.Files, worktree.RawFile.Same) && (last.Tree != "" || last.LeftOut != nil) {
		was.Kept, was.LeftOut = last.Tree, last.LeftOut
		return was, nil
	}
	noFolders := slices.DeleteFunc(slices.Clone(files), func(f worktree.RawFile) bool { return strings.HasSuffix(f.Path, "/") })
	fits, tooBig := worktree.Fits(noFolders, maxUntracked, maxUntrackedFiles)
	if was.Kept, was.LeftOut, err = worktree.KeepRaw(ctx, u.of.Tree(), fits); err != nil {
		return was, err
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
	u.of.Runner.Found = runner.Found{Files: files, Tree: was.Kept, LeftOut: was.LeftOut}
	return was, nil
}

// unstage takes the user's untracked files out of the index if a session has added or committed them.
func (u *UserFiles) unstage(ctx context.Context, s *worktree.Status) (*worktree.Status, error) {
	var own []string
	for _, c := range s.Changed {
		if u.of.state.Has(c.Path) && c.XY[0] == 'A' {
			own = append(own, c.Path)
		}
	}
	if len(own) == 0 {
		return s, nil
	}
	if err := worktree.Unstage(ctx, u.of.Tree(), own); err != nil {
		return nil, err
	}
	return u.of.status(ctx)
}

// Touched puts back the user's files that are gone, and returns those that the session changed, or removed for
// good, and lines about all of them. What was returned before is not returned again.
func (u *UserFiles) Touched(ctx context.Context) (touched, reported []string) {
	back := u.restore(ctx)
	restored, now := worktree.SetOf(back), map[string]worktree.RawFile{}
	var changed, lost []string
	for _, was := range u.of.state.Uncommitted() {
		before, ok := u.seen[was.Path]
		if !ok {
			before = was
		}
		is := worktree.RawFileOf(u.of.Tree(), was.Path)
		now[was.Path] = is
		switch {
		case restored[was.Path], before.Same(is), before.LooksSame(is) && u.isKept(ctx, is.Path):
		case is.Time.IsZero():
			lost = append(lost, was.Path)
		default:
			changed = append(changed, was.Path)
		}
	}
	report := func(did string, paths []string, then string) {
		if len(paths) > 0 {
			reported = append(reported, who(u.of.state)+" "+did+" files that are "+u.why(paths)+": "+visible.OneLine(strings.Join(paths, ", "), 400)+then)
		}
	}
	report("changed", changed, u.keepOld(ctx, changed))
	report("removed", lost, u.keepOld(ctx, lost))
	report("removed", back, "; they are back")
	if ignored := u.ignoredGone(now); len(ignored) > 0 {
		reported = append(reported, "files that git ignores were removed "+during(u.of.state)+", and nothing keeps those: "+visible.Few(ignored))
	}
	u.seen = now
	return append(changed, lost...), reported
}

// isKept reports whether a file has the bytes that are kept of it: a new hard link also sets its change time.
func (u *UserFiles) isKept(ctx context.Context, path string) bool {
	tree, _, err := worktree.KeepRaw(ctx, u.of.Tree(), []string{path})
	if err != nil || tree == "" || u.of.state.Kept == "" {
		return false
	}
	now, err := u.of.Tree().Resolve(ctx, tree+":"+path)
	was, err2 := u.of.Tree().Resolve(ctx, u.of.state.Kept+":"+path)
	return err == nil && err2 == nil && now == was
}

// keepOld keeps what the files were under a ref, if some paths are among them, and returns words about it.
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

// reportTouched reports, after a crash, what has changed of the user's files since the session began. Some of
// it may be their own doing.
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

// during returns when it was.
func during(state checkout.TaskState) string {
	if state.Phase == checkout.Checking {
		return "while a check ran"
	}
	return "during the session"
}

// why returns the reason for which no commit has some files of the user's.
func (u *UserFiles) why(paths []string) string {
	hidden := 0
	for _, h := range u.of.state.Hidden {
		if slices.Contains(paths, h.Path) {
			hidden++
		}
	}
	switch hidden {
	case 0:
		return "not tracked"
	case len(paths):
		return "hidden from git"
	}
	return "not tracked, or hidden from git"
}

// restore restores what is gone of the user's untracked files, and returns those that it could restore.
func (u *UserFiles) restore(ctx context.Context) (back []string) {
	gone := slices.DeleteFunc(u.of.state.Uncommitted(), func(f worktree.RawFile) bool {
		_, err := os.Lstat(filepath.Join(u.of.Dir(), f.Path))
		return err == nil || f.Time.IsZero() // it is there, or was gone before
	})
	if len(gone) == 0 || u.of.state.Kept == "" {
		return nil
	}
	failed := worktree.SetOf(worktree.PutRaw(ctx, u.of.Tree(), u.of.state.Kept, gone))
	for _, f := range gone {
		if !failed[f.Path] {
			back = append(back, f.Path)
		}
	}
	return back
}

// maxIgnored bounds how many ignored files are looked for.
const maxIgnored = 5000

// ignoredGone returns the user's ignored files that are gone, and notes them in now. Those that tools write are
// left out: they also remove them.
func (u *UserFiles) ignoredGone(now map[string]worktree.RawFile) (out []string) {
	for _, path := range u.of.state.Ignored[:min(len(u.of.state.Ignored), maxIgnored)] {
		if byTools(path) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(u.of.Dir(), path)); errors.Is(err, fs.ErrNotExist) {
			now[path] = worktree.RawFile{}
			if _, reported := u.seen[path]; !reported {
				out = append(out, path)
			}
		}
	}
	return out
}

// InTheWay returns the user's files that a change from one commit or tree to another would overwrite in a work
// tree: git itself overwrites ignored ones without a word.
func InTheWay(ctx context.Context, r *git.Repo, s *worktree.Status, from, to string) ([]string, error) {
	written, err := git.WrittenPaths(ctx, r, from, to)
	return s.InTheWay(r.Top, written), err
}
