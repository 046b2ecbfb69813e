package workspace

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Workspace is where the sessions and checks of one task work.
type Workspace struct {
	Runner   *runner.Runner
	Checkout *checkout.Checkout // the Runner's
	Before   *worktree.Status   // the tree when the task began: clean except for untracked files
	Task     Spec               // what the task asks for, once it is known
	Files    Files

	clone  *clone     // where its sessions and checks work; nil: in the user's work tree
	in     *Workspace // where commits are made: for a clone, the work tree that it landed in last
	state  checkout.TaskState
	began  time.Time // when the task did, by Runner.Now; zero before it
	change Changeset // the last one that was asked for

	// Of the current session, or the last one:
	Watch *runner.Watch   // what it must leave alone; of a person's work: while that is judged
	index *worktree.Index // as it was before; nil if a person works
}

// Spec is what a task asks of its workspace.
type Spec struct {
	Files   []string // that it is to write; patterns, as a step names them
	Checks  []string // commands that judge it
	Session bool     // a session does it, not a person or a command of the plan
}

// At returns the workspace of a task in a work tree whose status is known.
func At(s *runner.Runner, now *worktree.Status) *Workspace {
	p := &Workspace{Runner: s, Checkout: s.Checkout, Before: now}
	files := func() map[string]worktree.RawFile { return map[string]worktree.RawFile{} }
	p.Files = Files{of: p, byChecks: worktree.PathSet{}, stays: files(), seen: files(), rewritten: files(), users: files(),
		ended: func() {}}
	p.in = p
	return p
}

// Ready returns the workspace of a task that is not a step. The work tree must be clean except for untracked files.
func Ready(ctx context.Context, s *runner.Runner) (*Workspace, error) {
	if err := journal.FreeOfLocks(s.Checkout.Repo); err != nil {
		return nil, err
	}
	now, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err != nil {
		return nil, err
	}
	if !now.Clean() {
		return nil, Dirty(now)
	}
	return At(s, now), s.Checkout.Task().RequireFreeClone()
}

// Dirty returns the error of a tree that must be clean.
func Dirty(s *worktree.Status) error {
	if unmerged := s.Unmerged(); len(unmerged) > 0 {
		return fault.New(fault.ErrUnmerged, "not merged: %s", visible.Few(unmerged))
	}
	kind, other := fault.ErrSubmodules, func(c worktree.Change) bool { return !c.Submodule || c.XY != ".M" }
	if len(s.Changed) == 0 || slices.ContainsFunc(s.Changed, other) {
		kind = fault.ErrDirty
	}
	return fault.New(kind, "not committed: %s", visible.Few(s.Paths()))
}

// Tree returns the repository in which sessions and checks work; a clone has its own HEAD, index and objects.
func (w *Workspace) Tree() *git.Repo {
	if w.clone != nil {
		return w.clone.r
	}
	return w.Checkout.Repo
}

// Dir returns the folder in which sessions and checks work.
func (w *Workspace) Dir() string { return w.Tree().Top }

// InClone reports whether sessions and checks work in a clone, where no person works.
func (w *Workspace) InClone() bool { return w.clone != nil }

// Target says what to fingerprint for this workspace.
func (w *Workspace) Target() integrity.Target {
	at := w.Runner.Scene()
	if w.InClone() {
		at.Clone = w.Tree()
		return at
	}
	at.Others = w.Before.Repositories(w.Dir())
	return at
}

// ConfineSession returns what the commands of a session may do; nil if nothing confines them.
func (w *Workspace) ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*proc.Confinement, error) {
	c, err := w.Runner.ConfineSession(ctx, a, s)
	w.confine(c)
	return c, err
}

// Begin records, before a session, everything that it must leave alone.
func (w *Workspace) Begin(ctx context.Context, id string) (err error) {
	w.Watch, w.Files.session = w.Runner.Watch(w.Target()), session{}
	if w.index, err = worktree.OpenIndex(ctx, w.Tree()); err != nil {
		return err
	}
	return w.Watch.Session(ctx, w.state.Name, id, w.Before.Head)
}

// RecordUserFiles records the user's files before a task of a name.
func (w *Workspace) RecordUserFiles(ctx context.Context, name string) (err error) {
	if w.state, err = w.Files.record(ctx, name); err != nil {
		return err
	}
	w.ignoredAtFirst()
	w.began = w.Runner.Now()
	clear(w.Files.users)
	clear(w.Files.seen)
	return w.state.Record(ctx, w.Checkout)
}

// RecordSession records that a session begins, or a check like one.
func (w *Workspace) RecordSession(ctx context.Context, id string, phase checkout.Phase) {
	w.state.Phase, w.state.Session, w.state.Began = phase, id, time.Now()
	w.state.Attempt, w.state.Tree = "", ""
	_ = w.state.Record(ctx, w.Checkout) // without it, a crash would leave the session's processes running
	w.Files.session = session{since: w.Runner.Now()}
	w.Runner.Began = cmp.Or(w.Runner.Began, w.Files.since)
}

// recordRestoring records that a kept attempt is about to be put into the tree or taken out. A clone is made again.
func (w *Workspace) recordRestoring(ctx context.Context, kept string) error {
	if w.InClone() {
		return nil
	}
	w.state.Phase, w.state.Attempt = checkout.Restoring, kept
	return w.state.Record(ctx, w.Checkout)
}

// TakeApproval lets no more of the plan run until a person has looked at the changed set-up and approves it again.
func (w *Workspace) TakeApproval(ctx context.Context, changed []string) error {
	if w.Checkout.Doc == nil {
		return nil
	}
	w.state.Changed = changed
	return errors.Join(w.state.Record(ctx, w.Checkout), integrity.Revoke(w.Checkout.Repo, w.Checkout.Doc.ID))
}

// TakeApprovalAfter is TakeApproval after a task is done.
func (w *Workspace) TakeApprovalAfter(ctx context.Context, task string, changed []string) error {
	w.state = checkout.TaskState{Name: task, Branch: w.Checkout.Branch, Top: w.Checkout.Repo.Top,
		Session: w.state.Session, Began: w.state.Began}
	return w.TakeApproval(ctx, changed)
}

// LoadState reads the state from before a crash, ends leftover processes, and reports what became of the user's files.
func (w *Workspace) LoadState(ctx context.Context) {
	if w.state = w.Checkout.Task().State(); w.state.Name == "" { // then each untracked file is the user's
		for _, path := range w.Before.Untracked {
			w.state.Untracked = append(w.state.Untracked, worktree.RawFile{Path: path})
		}
	}
	if w.state.Session != "" {
		w.began, w.Runner.Began = w.state.Began, w.state.Began
		proc.Sweep(proc.Mark(w.state.Session))
		disk.SweepTemps()
	}
	here := !w.state.InClone && !w.state.InOtherWorktree(w.Checkout.Repo.Top)
	if here && w.state.Session != "" && w.state.Phase != checkout.Working { // else keepInterrupted does this
		w.reportTouched(ctx) // some of it may be the user's own doing
	}
}

// byHand reports whether no session works, or worked, in the tree, and none of its work was being put there.
func (w *Workspace) byHand() bool {
	return w.index == nil && w.state.Session == "" && w.state.Phase != checkout.Restoring
}

// status returns the status of that tree, where files ignored only by a session's own rules count as untracked.
func (w *Workspace) status(ctx context.Context) (*worktree.Status, error) {
	if w.byHand() {
		return worktree.ReadStatus(ctx, w.Tree())
	}
	s, err := worktree.ReadStatusIgnored(ctx, w.Tree())
	if err == nil && w.Files.setBigAside(ctx, s) {
		s, err = worktree.ReadStatusIgnored(ctx, w.Tree())
	}
	if err != nil {
		return nil, err
	}
	return s, w.Files.unignore(ctx, s)
}

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

	Declared  []agent.Drift // what the session says it had to change in addition to the files of its step
	ByHand    bool          // no session made the change, so nothing is declared
	Rewritten []string      // files that checks or commit hooks changed, and no session before them
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
	Failing     []string          // lines: why it must not be committed
	Reported    []string          // lines: what a person should know of it
	Weakened    []string          // lines of Reported about tests or checks that prove less than before
	Unexplained []string          // files outside of the step's, without a reason: a person may have changed them
	Restorable  map[string]string // files in which nothing else is wrong, by their lines of Failing
}
