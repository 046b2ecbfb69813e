package workspace

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Check runs commands that judge a session's work as it would, since they run its files. keep gets their output.
func (w *Workspace) Check(ctx context.Context, name string, of journal.Notice, commands []string,
	keep func(runner.Ended)) error {
	if len(commands) == 0 {
		return nil
	}
	c, err := w.checks(ctx, name, of)
	if err != nil {
		return err
	}
	c.Keep = func(e runner.Ended) {
		w.Files.ended()
		keep(e)
	}
	return c.Run(ctx, commands)
}

func (w *Workspace) checks(ctx context.Context, name string, of journal.Notice) (c runner.Checks, err error) {
	c = w.Runner.Checks(name, of, w.Checkout.Config.Environment(nil))
	if w.state.Session != "" { // marks whatever it commits as not the user's
		c.Env = append(c.Env, runner.InReflog(w.state.Session))
	}
	c.Dir = w.Dir()
	c.Confine, err = w.Runner.Confine(ctx, c.Dir)
	w.confine(c.Confine)
	return c, err
}

// TryInside runs checks while the session is still there, and returns the tree that passed; "" if Collect must judge.
func (w *Workspace) TryInside(ctx context.Context, run func(context.Context) error) (passed string, err error) {
	if err := w.Watch.Unchanged(ctx); err != nil {
		return "", nil
	}
	before, err := w.status(ctx)
	if err != nil {
		return "", err
	}
	if closed := w.closed(before); closed != nil { // the session can open it again
		return "", closed
	}
	was := w.Files.changesIn(before)
	if was.Empty() {
		w.Files.noteHidden(before)
	}
	if err := w.judgedAsCommitted(ctx, before, run); err != nil {
		return "", err
	}
	if err := w.Watch.Unchanged(ctx); err != nil {
		return "", nil
	}
	after, err := w.status(ctx)
	if err != nil {
		return "", err
	}
	added := w.Files.checked(was, w.Files.changesIn(after))
	if was.Empty() {
		w.Files.since = w.Runner.Now().Add(1) // what the check wrote is not the session's work
	}
	if after.Head != w.Before.Head {
		return "", nil
	}
	return worktree.Snapshot(ctx, w.Tree(), append(after.Unstaged(), added...))
}

// Try runs checks on what a commit will have, then Collect, and returns the paths to commit, without files of checks.
func (w *Workspace) Try(ctx context.Context, changes *Changes, run func(context.Context) error) (paths []string, err error) {
	failed := w.judgedAsCommitted(ctx, changes.Status, run)
	if ctx.Err() != nil {
		return nil, failed
	}
	after, err := w.Collect(context.WithoutCancel(ctx))
	if err == nil { // a check runs what the session wrote, and may have made a repository
		after.Status, err = w.Files.disarm(context.WithoutCancel(ctx), after.Status)
	}
	if err != nil {
		return nil, err
	}
	after.Added = w.Files.added(after.Status)
	added := w.Files.checked(changes, after)
	if failed != nil {
		return nil, failed
	}
	if after.Wrong != nil {
		return nil, after.Wrong
	}
	return slices.DeleteFunc(append(after.Status.Unstaged(), added...),
		func(path string) bool { return w.Files.theirs[path] }), nil
}

// judgedAsCommitted runs checks on exactly the files that the commit will have; git lists new ones to them as added.
func (w *Workspace) judgedAsCommitted(ctx context.Context, s *worktree.Status, run func(context.Context) error) error {
	maps.DeleteFunc(w.Files.rewritten, w.Files.changedSince) // by the session
	if w.byHand() {
		return run(ctx)
	}
	added := w.Files.added(s)
	if i := slices.IndexFunc(added,
		func(name string) bool { return slices.ContainsFunc(strings.Split(name, "/"), worktree.IsDotGit) }); i >= 0 {
		return Failf("git refuses to add %s", visible.OneLine(added[i], 200)) // before checks, for which git would have to
	}
	if err := w.asCheckedOut(ctx, append(s.Paths(), added...)); err != nil {
		return err
	}
	if !w.Task.Session {
		return worktree.WithAdded(ctx, w.Tree(), w.index, added, func() error { return w.Files.notSwapped(ctx, s, run) })
	}
	if err := w.Files.setAside(ctx, s); err != nil {
		return err
	}
	return worktree.WithAdded(ctx, w.Tree(), w.index, added, func() error { return w.Files.withoutFolders(ctx, s, run) })
}

// asCheckedOut gives changed files, and what the run has written and git calls unmodified, the bytes of a commit.
func (w *Workspace) asCheckedOut(ctx context.Context, changed []string) error {
	if w.byHand() {
		return nil
	}
	return worktree.AsCheckedOut(ctx, w.Tree(), w.Checkout.Config.Git, changed, w.Runner.Began)
}

// LookAgain looks at the tree again after a commit hook, and returns changes that nobody staged: perhaps a person's.
func (w *Workspace) LookAgain(ctx context.Context, changes *Changes) (theirs []string, err error) {
	s, err := w.status(ctx)
	if err != nil {
		return nil, err
	}
	theirs = slices.DeleteFunc(append(s.Unstaged(), w.Files.added(s)...), worktree.SetOf(s.Staged()).Has)
	w.Files.theirs = worktree.SetOf(theirs)
	s.Changed = slices.DeleteFunc(s.Changed, func(c worktree.Change) bool { return w.Files.theirs[c.Path] })
	w.Files.noteRewritten(s.Staged(), slices.Concat(changes.Status.Paths(), changes.Added))
	changes.Status, changes.Added = s, nil
	return theirs, nil
}

// Precheck is a check that runs before a task has begun, on what HEAD has.
type Precheck struct {
	Name    string         // of the task
	Files   []string       // that it is to write; patterns
	Of      journal.Notice // what the check is about
	Quietly bool           // do not report that it runs
}

// Run runs one command before any session, watched like one; a *runner.CheckFailure if it failed. What it committed, or
// changed of tracked files and the task's, is kept and taken back; its other files are no session's work.
func (t Precheck) Run(ctx context.Context, w *Workspace, command string) (how runner.Ended, err error) {
	const slow = 3 * time.Second // before a notice says what is waited for
	if err := w.RecordUserFiles(ctx, t.Name); err != nil {
		return how, err
	}
	id := "proof-" + integrity.Random(4)
	if err := w.Begin(ctx, id); err != nil {
		return how, err
	}
	w.RecordSession(ctx, id, checkout.Checking)
	c, ran := w.checks(ctx, t.Name, t.Of)
	c.Keep = func(e runner.Ended) { how = e }
	if t.Quietly {
		c.On = func(journal.Notice) {}
		waits := t.Of.Of(journal.SessionText, "")
		waits.Reason = "check, before any work: " + visible.OneLine(command, 200)
		defer time.AfterFunc(slow, func() { w.Runner.Report(waits) }).Stop()
	}
	if ran == nil {
		ran = worktree.WithAdded(ctx, w.Tree(), w.index, nil, func() error { return c.Run(ctx, []string{command}) })
	}
	if err := t.restore(context.WithoutCancel(ctx), w, command); err != nil {
		return how, err
	}
	w.Checkout.Task().ForgetState()
	return how, cmp.Or(context.Cause(ctx), ran)
}

func (t Precheck) restore(ctx context.Context, w *Workspace, command string) error {
	changes, err := w.Collect(ctx)
	wrong := FailureOf(err)
	if wrong != nil {
		err = nil
	} else if err == nil {
		wrong = changes.Wrong
		err = t.cleanUp(ctx, w, changes)
	}
	changed, moved, ended := w.Watch.End(ctx)
	if err = errors.Join(err, ended); err != nil {
		return err
	}
	by := "`" + visible.OneLine(command, 200) + "`"
	if wrong != nil {
		changed = append(changed, wrong.Setup...)
	}
	if len(changed) > 0 {
		slices.Sort(changed)
		if err := w.TakeApproval(ctx, slices.Compact(changed)); err != nil {
			return err
		}
		f := tampered(by + " was run before any session, and changed " + strings.Join(w.state.Changed, ", "))
		return fault.New(fault.ErrSetupUnseen, "%s", f.Error())
	}
	if wrong != nil {
		return fault.New(fault.ErrMovedBranch, "%s was run before any session: %s", by, wrong.Reason)
	}
	for _, text := range append(moved, w.Watch.RefsChanged(ctx, "while "+by+" ran")...) {
		w.Runner.Report(t.Of.Of(journal.StepNote, text))
	}
	return nil
}

// cleanUp removes those leftovers of a check that must go, and notes the rest.
func (t Precheck) cleanUp(ctx context.Context, w *Workspace, changes *Changes) error {
	w.reportTouched(ctx)
	status, err := w.Files.disarm(ctx, changes.Status)
	if err != nil {
		return err
	}
	changes = w.Files.changesIn(status)
	stays, goes := []string{}, []string{}
	for _, path := range changes.Added {
		if w.InClone() || plan.MatchesAny(t.Files, path) {
			goes = append(goes, path)
		} else {
			stays = append(stays, path)
		}
	}
	w.Files.noteStays(stays) // first, since what goes must not be kept with them
	now, undone := changes.Status, !changes.Status.Clean() || len(goes) > 0
	if undone && w.InClone() {
		err = worktree.Restore(ctx, w.Tree(), w.Before.Head, goes)
	} else if undone {
		var ref string
		if ref, _, err = w.keepTree(ctx, checkout.Ending{Reason: "what checks wrote before the task began"}); ref != "" {
			w.Runner.Report(t.Of.Of(journal.StepNote, "files that checks wrote before any work were removed; see them: "+
				w.Runner.Checkout.Attempts().ShowCommand(ref)))
		}
	}
	if err != nil {
		return err
	}
	if undone || len(now.Unignored) > 0 {
		if now, err = worktree.ReadStatusIgnored(ctx, w.Tree()); err != nil {
			return err
		}
	}
	w.Files.noteStays(stays)
	w.Before.Ignored, w.Before.Inside = now.Ignored, now.Inside
	return nil
}
