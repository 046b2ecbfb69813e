package workspace

import (
	"cmp"
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Changes is what a session, or a check, left in the tree.
type Changes struct {
	Status *worktree.Status
	Added  []string // untracked files that are new since the task began
	Folded string   // the message of the session's own last commit; what it committed is in the tree now
	Wrong  *Failure // why it must not be committed, if something was not in its place

	Formatted string   // the tree that a commit hook made, without refusing
	Touched   []string // the user's untracked files that the session changed
}

// Empty reports whether nothing was changed.
func (l *Changes) Empty() bool { return l.Status.Clean() && len(l.Added) == 0 }

// Paths returns what a commit would take of it.
func (l *Changes) Paths() []string { return append(l.Status.Unstaged(), l.Added...) }

// Changes returns the changes in the tree when a person says that they are done.
func (w *Workspace) Changes() *Changes { return w.Files.changesIn(w.Before) }

// Changeset is what an attempt changed: the tree that it would commit against the commit at which it began.
type Changeset struct {
	Head string // empty on an unborn branch
	Tree string
	Diff *git.Diff

	Declared []agent.Drift // what the session says it had to change in addition to the files of its step
	ByHand   bool          // no session made the change, so nothing is declared

	Rewritten []string // files that checks or commit hooks changed, and no session before them
}

// Touches reports whether a path is among the changed ones.
func (c Changeset) Touches(p string) bool {
	return slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool { return f.Path == p || f.OldPath == p })
}

// Gitlinks returns repositories that a session added as submodules without .gitmodules, so that no clone can get them.
func (c Changeset) Gitlinks() (out []string) {
	if c.Touches(".gitmodules") {
		return nil
	}
	for _, f := range c.Diff.Files {
		if f.NewMode == "160000" && f.OldMode != "160000" {
			out = append(out, f.Path)
		}
	}
	return out
}

// Changeset returns what a tree changes against the commit at which the task began.
func (w *Workspace) Changeset(ctx context.Context, tree string) (Changeset, error) {
	if w.change.Diff != nil && w.change.Head == w.Before.Head && w.change.Tree == tree {
		return w.change, nil
	}
	d, err := git.DiffTrees(ctx, w.Checkout.Repo, cmp.Or(w.Before.Head, w.Checkout.Repo.EmptyTree()), tree)
	if err != nil {
		return Changeset{}, err
	}
	w.change = Changeset{Head: w.Before.Head, Tree: tree, Diff: d, Rewritten: slices.Sorted(maps.Keys(w.Files.rewritten))}
	return w.change, nil
}

// Guarded is what a guard says of a changeset.
type Guarded struct {
	Failing  []string // lines: why it must not be committed
	Reported []string // lines: what a person should know of it

	Weakened []string // those of Reported about tests or checks that prove less than before

	// Unexplained are the files outside of the step's by which it fails: without a reason, a person may have changed them.
	Unexplained []string
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

// named returns the files, and folders above them, that commands of the plan or of the task name, also in a folder
// named before them, as after cd or make -C, behind a variable or by a link.
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
