package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The user's files that no commit has are untracked, ignored, or hidden from git, and never committed. What is gone is
// put back byte for byte, unless ignored: builds remove that. What is kept of them is bounded, in bytes and files.
const (
	maxUntracked   = 64 << 20
	maxIgnored     = 16 << 20
	maxIgnoredFile = 1 << 20
	maxFiles       = 100_000 // of either
)

// record returns the state of a task before its session, with the user's files, whose contents are kept as a tree.
func (f *Files) record(ctx context.Context, name string) (was checkout.TaskState, err error) {
	was = checkout.TaskState{Name: name, Branch: f.of.Checkout.Branch, Top: f.of.Checkout.Repo.Top,
		Head: journal.OrNone(f.of.Before.Head), InClone: f.of.InClone(), Ignored: f.of.Before.Ignored}
	for _, path := range f.of.Before.Untracked {
		was.Untracked = append(was.Untracked, worktree.RawFileOf(f.of.Tree(), path))
	}
	for _, path := range was.Ignored {
		if !was.InClone && !byTools(path) {
			was.Watched = append(was.Watched, worktree.RawFileOf(f.of.Tree(), path))
		}
	}
	if was.Hidden, err = worktree.Hidden(ctx, f.of.Tree()); err != nil {
		return was, err
	}
	hidden := worktree.PathSet{}
	for _, file := range was.Hidden {
		hidden[file.Path] = true
	}
	isFolder := func(f worktree.RawFile) bool { return strings.HasSuffix(f.Path, "/") }
	own := slices.DeleteFunc(was.Uncommitted(), isFolder)
	small := slices.Clone(was.Watched)
	was.Named = map[string]worktree.RawFile{}
	for _, path := range named(f.of) {
		if is := worktree.RawFileOf(f.of.Tree(), path); (hidden[path] || was.Has(path)) && !is.Time.IsZero() &&
			!is.Mode.IsDir() && !installed(path) && disk.Direct(f.of.Dir(), path) {
			was.Named[path], small = is, append(small, is)
		}
	}
	small = slices.DeleteFunc(small, func(file worktree.RawFile) bool { return isFolder(file) || file.Size > maxIgnoredFile })
	files := slices.Concat(own, small)
	if r := f.of.Runner; len(files) > 0 && slices.EqualFunc(files, r.Found, worktree.RawFile.Same) {
		was.Kept = r.FoundTree
		return was, nil
	}
	fits, tooBig := worktree.Fits(own, maxUntracked, maxFiles)
	ignored, tooMany := worktree.Fits(small, maxIgnored, maxFiles)
	var unread, big []string
	if was.Kept, unread, err = worktree.KeepRaw(ctx, f.of.Tree(), append(fits, ignored...)); err != nil {
		return was, err
	}
	for _, file := range append(tooBig, tooMany...) {
		big = append(big, fmt.Sprintf("%s (%d MB)", file.Path, file.Size>>20))
	}
	report := func(why string, paths []string) {
		if text := "not kept, should a session change it, since " + why + ": " + visible.Few(paths); len(paths) > 0 &&
			f.of.Runner.Once(text) {
			f.of.Runner.ReportNote(name, text)
		}
	}
	report("it cannot be read", slices.DeleteFunc(unread, worktree.SetOf(ignored).Has))
	report("it is too big, or one too many", big)
	f.of.Runner.Found, f.of.Runner.FoundTree = files, was.Kept
	return was, nil
}

// unstage takes the user's untracked files out of the index if a session has added or committed them.
func (f *Files) unstage(ctx context.Context, s *worktree.Status) (*worktree.Status, error) {
	return unstaged(ctx, f.of, s, s.PathsOf(func(c worktree.Change) bool {
		return c.XY[0] == 'A' && (f.of.state.Has(c.Path) || f.of.state.Has(c.Path+"/"))
	}))
}

func unstaged(ctx context.Context, w *Workspace, s *worktree.Status, paths []string) (*worktree.Status, error) {
	if len(paths) == 0 {
		return s, nil
	}
	if err := w.Tree().Run(ctx, git.Command{Args: []string{"update-index", "--force-remove", "-z", "--stdin"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"), Writes: true}); err != nil {
		return nil, err
	}
	return w.status(ctx)
}

// WatchUserFiles calls do, which may run what a session wrote, and reports what that did to the user's files.
func (w *Workspace) WatchUserFiles(ctx context.Context, task string, phase checkout.Phase,
	do func() (string, error)) (out string, err error) {
	if w.state, err = w.Files.record(ctx, task); err != nil {
		return "", err
	}
	w.state.Phase = phase
	out, err = do()
	w.reportTouched(ctx)
	w.state = checkout.TaskState{}
	clear(w.Files.users)
	return out, err
}

func (w *Workspace) reportTouched(ctx context.Context) {
	_, reported := w.Files.Touched(context.WithoutCancel(ctx))
	for _, text := range reported {
		w.Runner.ReportNote(w.state.Name, text)
	}
}

// Touched restores the user's files that are gone, and returns those that the session changed or removed for good,
// except ignored ones, and lines about all of them and what was set aside. It returns each file once.
func (f *Files) Touched(ctx context.Context) (touched, reported []string) {
	back := f.restore(ctx)
	changed, lost := f.compare(ctx, f.of.state.Uncommitted(), f.users)
	written, removed := f.compare(ctx, f.of.state.Watched, f.users)
	written = slices.DeleteFunc(written, func(path string) bool { return strings.HasSuffix(path, "/") })
	who, _ := who(f.of.state)
	report := func(did string, paths []string, then string) {
		if len(paths) > 0 {
			reported = append(reported, who+" "+did+": "+visible.OneLine(strings.Join(paths, ", "), 400)+then)
		}
	}
	report("changed files that no commit has", changed, f.keepOld(ctx, changed))
	report("removed files that no commit has", lost, f.keepOld(ctx, lost))
	report("removed files that no commit has", back, "; they are back")
	report("changed files that are ignored", written, f.keepOld(ctx, written))
	report("removed files that are ignored", removed, f.keepOld(ctx, removed))
	reported, f.said = append(reported, plan.Unique(f.said)...), nil
	return append(changed, lost...), reported
}

// compare returns files that changed, or are gone, since they were last seen or the task began, and notes how they are.
func (f *Files) compare(ctx context.Context, files []worktree.RawFile,
	seen map[string]worktree.RawFile) (changed, lost []string) {
	var same []string // perhaps: a new hard link also sets the time of a change
	for _, was := range files {
		before := cmp.Or(seen[was.Path], was)
		is := worktree.RawFileOf(f.of.Tree(), was.Path)
		seen[was.Path] = is
		switch {
		case before.Same(is):
		case is.Time.IsZero():
			lost = append(lost, was.Path)
		default:
			changed = append(changed, was.Path)
			if is.Size == was.Size && is.Mode == was.Mode {
				same = append(same, was.Path)
			}
		}
	}
	if tree, _, err := worktree.KeepRaw(ctx, f.of.Tree(), same); err == nil && tree != "" {
		is, was := worktree.Entries(ctx, f.of.Tree(), tree), worktree.Entries(ctx, f.of.Tree(), f.of.state.Kept)
		changed = slices.DeleteFunc(changed, func(path string) bool { return is[path].OID != "" && is[path] == was[path] })
	}
	return changed, lost
}

// keepOld keeps what some files were under a ref, as far as that is known, and returns words about it.
func (f *Files) keepOld(ctx context.Context, paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	var entries []worktree.Entry
	var lost []string
	was := worktree.Entries(ctx, f.of.Tree(), f.of.state.Kept)
	for _, path := range paths {
		if e, ok := was[path]; ok {
			entries = append(entries, e)
		} else {
			lost = append(lost, path)
		}
	}
	tree, err := worktree.WithEntries(ctx, f.of.Tree(), "", entries)
	ref := ""
	if err == nil && len(entries) > 0 {
		ref = keep(ctx, f.of, tree, "your files as they were before the session")
	}
	if ref == "" {
		return "; what they were is not kept"
	}
	but := ""
	if len(lost) > 0 {
		but = ", but not " + visible.Few(lost)
	}
	f.Originals = append(f.Originals, ref)
	return "; to bring them back as they were" + but + ": " + BringBack(ref)
}

// keep keeps a tree under a ref of the task, and returns it; "" if it cannot be kept.
func keep(ctx context.Context, w *Workspace, tree, reason string) (ref string) {
	ref, _ = w.Checkout.Attempts().Keep(ctx, tree, nil, cmp.Or(w.state.Name, checkout.RefsName),
		checkout.Ending{Reason: reason})
	return ref
}

// BringBack returns the command that puts back the files of the user's that a ref keeps.
func BringBack(ref string) string { return "git restore --overlay --source=" + ref + " -- :/" }

// Differing returns the paths of the files that a ref keeps and that are not the same in the work tree, sorted; none if
// the ref is gone. What is not a regular file, or cannot be read, counts as different.
func Differing(ctx context.Context, r *git.Repo, ref string) (paths []string) {
	entries := worktree.Entries(ctx, r, ref)
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		is, executable := worktree.RawFileOf(r, path), entries[path].Mode == "100755"
		kept, err := r.Read(ctx, entries[path].OID)
		if err == nil && is.Mode.IsRegular() && is.Mode&0o100 != 0 == executable && is.Size == int64(len(kept.Data)) &&
			disk.Direct(r.Top, path) {
			if now, err := disk.ReadRegular(filepath.Join(r.Top, path)); err == nil && bytes.Equal(now, kept.Data) {
				continue
			}
		}
		paths = append(paths, path)
	}
	return paths
}

func who(state checkout.TaskState) (who, during string) {
	switch state.Phase {
	case checkout.Checking:
		return "a check", "while a check ran"
	case checkout.Checked, checkout.Landing:
		return "a check or a hook", "while checks or hooks ran"
	}
	return "the session", "during the session"
}

// restore restores missing untracked files of the user's, and returns those that it could restore.
func (f *Files) restore(ctx context.Context) (back []string) {
	gone := slices.DeleteFunc(f.of.state.Uncommitted(), func(file worktree.RawFile) bool {
		_, err := os.Lstat(filepath.Join(f.of.Dir(), file.Path))
		return err == nil || file.Time.IsZero() // it is there, or was gone before
	})
	if len(gone) == 0 || f.of.state.Kept == "" {
		return nil
	}
	failed := worktree.SetOf(worktree.PutRaw(ctx, f.of.Tree(), f.of.state.Kept, gone))
	for _, file := range gone {
		if !failed[file.Path] {
			back = append(back, file.Path)
		}
	}
	return back
}

// InTheWay returns the user's files that a change from a commit or tree to another would overwrite, also ignored ones.
func InTheWay(ctx context.Context, r *git.Repo, s *worktree.Status, from, to string) ([]string, error) {
	written, err := git.WrittenPaths(ctx, r, from, to)
	return s.InTheWay(r.Top, written), err
}
