package workspace

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Files records whose the files of a tree are, and who wrote what in it, as far as git does not know.
type Files struct {
	of        *Workspace
	byChecks  worktree.PathSet            // what checks wrote while a session was there, folders with a slash
	rewritten map[string]worktree.RawFile // files that only checks or commit hooks changed, as they left them
	stays     map[string]worktree.RawFile // untracked files that checks wrote, as they left them
	seen      map[string]worktree.RawFile // files that commands name, as they were put back or checks left them
	users     map[string]worktree.RawFile // the user's untracked and ignored files, as they were after the last session
	ended     func()                      // is called after each check, see notSwapped
	session
}

// session is known of the session at work, or of the last one.
type session struct {
	since     time.Time        // when it began, or a check of it ended; zero if there was none
	hidden    []string         // the ignored files that it had written by then
	aside     []string         // what was set aside of the files that commands name
	said      []string         // lines about that
	kept      string           // the ref of the last of it
	theirs    worktree.PathSet // what changed while a commit hook ran, and was not staged before it or by it
	Originals []string         // refs that keep files of the user's as they were before it
}

// byCheck reports whether a check wrote something, or a folder above it.
func (f *Files) byCheck(name string) bool { return f.byChecks.Has(name) || f.byChecks[name+"/"] }

// attribute notes the files created while checks ran, and returns those of the session that still exist.
func (f *Files) attribute(before, after []string) (out []string) {
	was := worktree.SetOf(before)
	for _, path := range after {
		if was[path] {
			out = append(out, path)
		} else {
			f.byChecks[path] = true
			f.noteStays([]string{path})
		}
	}
	return out
}

// checked notes what checks wrote between two looks at the tree, and returns the untracked files left of the session.
func (f *Files) checked(before, after *Changes) []string {
	out := f.attribute(before.Added, after.Added)
	f.attribute(f.inside(before.Status), f.inside(after.Status))
	f.attribute(before.Status.Ignored, after.Status.Ignored)
	f.noteRewritten(after.Status.Paths(), before.Status.Paths())
	return out
}

// noteRewritten notes files that a check or a commit hook changed, and no session before it.
func (f *Files) noteRewritten(changed, before []string) {
	was := worktree.SetOf(before)
	for _, path := range changed {
		if _, again := f.rewritten[path]; again || !was[path] {
			f.rewritten[path] = worktree.RawFileOf(f.of.Tree(), path)
		}
	}
}

func (f *Files) changedSince(path string, left worktree.RawFile) bool {
	return !left.Same(worktree.RawFileOf(f.of.Tree(), path))
}

func (f *Files) changesIn(s *worktree.Status) *Changes {
	return &Changes{Status: s, Added: f.added(s)}
}

// added returns the untracked files of the session.
func (f *Files) added(s *worktree.Status) (out []string) {
	for _, path := range s.Untracked {
		was, byCheck := f.stays[path]
		if Added(&f.of.state, path) && !f.theirs[path] && (!byCheck || f.changedSince(path, was)) {
			out = append(out, path)
		}
	}
	return out
}

// Added reports whether an untracked file was created during a task, and is no repository, which git lists as a folder.
func Added(s *checkout.TaskState, path string) bool {
	return !s.Has(path) && !strings.HasSuffix(path, "/")
}

func (f *Files) noteStays(paths []string) {
	for _, path := range paths {
		f.stays[path] = worktree.RawFileOf(f.of.Tree(), path)
	}
}

// inside returns the submodules with new changes that a session did not commit there: no commit here can have those.
func (f *Files) inside(s *worktree.Status) []string {
	return slices.DeleteFunc(slices.Clone(s.Inside),
		func(path string) bool { return f.byChecks[path] || slices.Contains(f.of.Before.Inside, path) })
}

// nested returns the repositories that a session made in the tree: no commit here can have their files.
func (f *Files) nested(s *worktree.Status) (out []string) {
	for _, name := range s.Untracked {
		if strings.HasSuffix(name, "/") && !f.of.state.Has(name) && !f.byCheck(name) {
			out = append(out, strings.TrimSuffix(name, "/"))
		}
	}
	return out
}

// disarm takes the .git out of repositories that came during a session or a check: no git will obey it.
func (f *Files) disarm(ctx context.Context, s *worktree.Status) (*worktree.Status, error) {
	const maxNested = 10 // repositories in repositories
	root, err := os.OpenRoot(f.of.Dir())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for range maxNested {
		nested := f.nested(s)
		if len(nested) == 0 {
			break
		}
		for _, repo := range nested {
			for _, closed := range []string{repo, path.Join(repo, ".git")} { // perhaps, by the session
				_ = root.Chmod(closed, 0o755)
			}
			f.keepCommits(repo)
			if err := disk.RemoveIn(root, path.Join(repo, ".git")); err != nil {
				return nil, err
			}
		}
		if s, err = f.of.status(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// keepCommits moves the .git of a repository in the tree to where its commits, which may be a person's, are kept.
func (f *Files) keepCommits(repo string) {
	from := filepath.Join(f.of.Dir(), repo, ".git")
	if !integrity.IsFolder(from) { // a file only says where another repository is
		return
	}
	if to, err := integrity.SetAside(f.of.Checkout.Repo, from); err == nil {
		for _, name := range []string{"config", "config.worktree", "hooks", "commondir", "info"} { // what a git there would obey
			_ = disk.RemoveTree(filepath.Join(to, name))
		}
		f.of.Runner.ReportNote(f.of.state.Name, visible.OneLine(repo, 200)+" is a repository of its own: its commits are in "+to)
	}
}

// unignore adds untracked files that only a session's rules ignore, except those of tools and of one machine.
func (f *Files) unignore(ctx context.Context, s *worktree.Status) error {
	if f.of.byHand() {
		return nil
	}
	var entries, files []string
	rules := worktree.PathSet{} // the files that may have git ignore one of them
	for _, name := range s.Ignored {
		if f.of.state.Has(name) || f.byCheck(name) || byTools(name) || ofThisMachine(name) {
			continue
		}
		entries = append(entries, name)
		for at := path.Dir(strings.TrimSuffix(name, "/")); !rules[path.Join(at, ".gitignore")]; at = path.Dir(at) {
			rules[path.Join(at, ".gitignore")] = true
		}
	}
	ignored, texts, changed := worktree.SetOf(s.Ignored), map[string][]byte{}, false
	for name := range rules { // read as they were when the session began
		now, _ := disk.ReadRegular(filepath.Join(f.of.Dir(), name))
		was, existed := f.textBefore(ctx, trimNone(f.of.state.Head), name)
		users := f.of.state.Has(name)
		if !existed && users {
			was, existed = f.textBefore(ctx, f.of.state.Kept, name)
		}
		if !existed && (users || path.Dir(name) != "." && ignored.Has(name)) { // a tool's, for its own cache
			was, existed = now, now != nil
		}
		if existed {
			texts[name] = was
		}
		changed = changed || !bytes.Equal(was, now)
	}
	if !changed {
		return nil
	}
	for _, name := range entries { // without tracked files: the session took those out of git
		files = append(files, slices.DeleteFunc(f.filesOf(name, math.MaxInt), func(name string) bool {
			_, tracked := f.textBefore(ctx, trimNone(f.of.state.Head), name)
			return tracked
		})...)
	}
	if len(files) == 0 {
		return nil
	}
	hidden, err := worktree.NotIgnored(ctx, f.of.Tree(), texts, files)
	s.Unignored = hidden
	s.Untracked = append(s.Untracked, hidden...)
	return err
}

func (f *Files) textBefore(ctx context.Context, tree, name string) (text []byte, ok bool) {
	if tree == "" {
		return nil, false
	}
	o, err := f.of.Checkout.Repo.Read(ctx, tree+":"+name)
	return o.Data, err == nil
}

// filesOf returns at most so many files of an ignored entry, without those that tools write and of nested repositories.
func (f *Files) filesOf(entry string, most int) (out []string) {
	if !strings.HasSuffix(entry, "/") {
		return []string{entry}
	}
	root, err := os.OpenRoot(f.of.Dir())
	if err != nil {
		return nil
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), path.Clean(entry), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil, d.IsDir() && byTools(name):
			return fs.SkipDir
		case d.IsDir():
			if _, err := root.Lstat(path.Join(name, ".git")); err == nil {
				return fs.SkipDir
			}
		case len(out) == most:
			return fs.SkipAll
		case !byTools(name):
			out = append(out, name)
		}
		return nil
	})
	return out
}

// names returns the files in top that a task, or a command that checks it, asks for by name.
func (t Spec) names(top string) []string {
	out := plan.Literals(t.Files)
	for _, command := range t.Checks {
		for _, name := range integrity.NamedFiles(strings.NewReplacer(",", " ", ":", " ").Replace(command), top) {
			out = append(out, strings.TrimPrefix(name, top+"/"))
		}
	}
	return out
}

// named returns the files, and the folders above them, that commands name, also below a folder named before (make -C).
func named(w *Workspace) []string {
	var links disk.Links
	top := links.Real(w.Dir())
	commands, found := w.Task.Checks, worktree.PathSet{}
	if doc := w.Checkout.Doc; doc != nil {
		commands = slices.Concat(commands, doc.Plan.EveryCommand())
	}
	for _, command := range plan.Unique(commands) {
		names := append((Spec{Checks: []string{command}}).names(top), "GNUmakefile", "makefile", "Makefile", "package.json")
		for i, name := range names {
			for _, dir := range append(names[:min(i, 50):min(i, 50)], ".") {
				for at := path.Join(dir, name); filepath.IsLocal(at) && at != "." && !found[at]; at = path.Dir(at) {
					found[at] = true
				}
			}
		}
	}
	for _, name := range slices.Collect(maps.Keys(found)) {
		if rel, err := filepath.Rel(top, links.Real(filepath.Join(top, name))); err == nil && filepath.IsLocal(rel) && rel != "." {
			found[rel] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Committable returns a Failure if a session's work is in files that no commit has.
func (w *Workspace) Committable(changes *Changes) error {
	if inside := w.Files.inside(changes.Status); len(inside) > 0 {
		return Failf("%s is a submodule: what was changed in it is not committed there", inside[0])
	}
	if nested := w.Files.nested(changes.Status); len(nested) > 0 {
		return Failf("%s is a repository of its own: its files are not committed here", visible.Few(nested))
	}
	if err := w.Files.outOfSight(changes); err != nil {
		return err
	}
	if found := w.Files.shadowing(changes.Status); len(found) > 0 {
		return Failf("%s would be run in place of the system's own, and git ignores it: remove it", visible.Few(found))
	}
	return nil
}

// outOfSight returns a Failure if work is in files that no commit will have, hopeless if the task asks for those.
func (f *Files) outOfSight(changes *Changes) error {
	if !f.of.Task.Session || f.since.IsZero() {
		return nil
	}
	if theirs := changes.Touched; changes.Empty() && len(theirs) > 0 {
		return &Failure{Reason: "what it did is in " + visible.Few(theirs) + ", which is yours and in no commit", Hopeless: true}
	}
	names := plan.Literals(f.of.Task.Files)
	if changes.Empty() {
		names = f.of.Task.names(f.of.Dir())
		f.noteHidden(changes.Status)
	}
	named := f.writtenOf(changes.Status, names)
	f.hidden = slices.Compact(slices.Sorted(slices.Values(append(f.hidden, named...))))
	named = append(named,
		slices.DeleteFunc(slices.Clone(f.aside), func(name string) bool { return !slices.Contains(names, name) })...)
	if len(named) > 0 {
		which := ", which git ignores"
		if slices.ContainsFunc(f.of.state.Untracked, func(file worktree.RawFile) bool { return slices.Contains(named, file.Path) }) {
			which = ", which is yours and in no commit"
		}
		return &Failure{Reason: "what it did is in " + visible.Few(named) + which, Hopeless: true, Kept: f.kept}
	}
	if changes.Empty() && len(f.hidden) > 0 {
		return Failf("what it did is in %s, which git ignores", visible.Few(f.hidden))
	}
	return nil
}
