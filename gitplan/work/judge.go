package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Verdict is how work was judged: it is committed, or Failure says why not. An error beside it stops the task.
type Verdict struct {
	Commit      string // the one commit; journal.None if nothing had to be committed
	Tree        string // that passed, also if it was not committed after all
	Failure     *workspace.Failure
	Interrupted bool // by a signal, before the commit was made
}

// JudgeAndCommit decides whether an attempt is done. What a commit hook formatted as it refused is judged and committed, once.
func (a *Attempt) JudgeAndCommit(ctx context.Context, changes *workspace.Changes) (Verdict, error) {
	notes := slices.Clone(a.Notes)
	v, err := a.tryCommit(ctx, changes)
	if err != nil || v.Failure == nil || v.Tree == "" {
		return v, err
	}
	theirs, err := a.ws.LookAgain(ctx, changes)
	if err != nil {
		return v, err
	}
	if len(theirs) > 0 {
		notes = append(notes, visible.Few(theirs)+" changed while a commit hook ran, which did not stage it: not committed")
	}
	tree, err := worktree.Stage(ctx, a.ws.Tree(), changes.Paths())
	if err != nil || tree == v.Tree {
		return v, err
	}
	if v.Failure.Formats { // else the hook refused, and must see the files as they were
		changes.Formatted, notes = tree, append(notes, "a commit hook changed the files; the changes were checked, too")
	}
	a.Notes = notes
	return a.tryCommit(ctx, changes)
}

// tryCommit judges and commits, after an event from which the next command commits if this one is killed.
func (a *Attempt) tryCommit(ctx context.Context, changes *workspace.Changes) (v Verdict, err error) {
	defer func() {
		if v.Failure = workspace.FailureOf(err); v.Failure != nil {
			err = nil
		}
	}()
	if err := a.ws.Committable(changes); err != nil {
		return v, err
	}
	if changes.Empty() && !a.t.Unchanged {
		return v, errNothing()
	}
	tree, err := a.toCommit(ctx, changes)
	if err == nil && tree != "" {
		tree, err = a.land(ctx, tree, changes)
	}
	if err != nil {
		return v, err
	}
	if v.Tree = a.checks.tree; tree == "" {
		v.Commit = journal.None
		return v, nil
	}
	defer func() {
		if v.Commit == "" { // otherwise the turn is kept until the step is ticked
			a.w.Turn.Release()
		}
	}()
	with, err := a.ws.NoteCommit(ctx, tree, a.message())
	if err != nil {
		return v, err
	}
	r := agent.Result{Agent: a.result.Agent, Proposal: a.result.Proposal} // its usage is counted once, by done
	e := a.event(journal.Checked, &Outcome{Status: agent.Done, Result: r})
	e.Tree, e.With = tree, with
	if err := a.record(ctx, e); err != nil {
		return v, err
	}
	v.Commit, err = a.ws.Land(ctx, tree, func() (string, error) { return a.gitCommit(ctx, tree, changes) })
	return v, err
}

func errNothing() error { return workspace.Failf("the session changed nothing") }

// toCommit returns the tree to commit, which passed all checks and guards; "" if it changes nothing.
func (a *Attempt) toCommit(ctx context.Context, changes *workspace.Changes) (tree string, err error) {
	if tree, err = a.checked(ctx, changes); err != nil {
		return "", err
	}
	a.checks.tree = tree
	change, err := a.ws.Changeset(ctx, tree)
	if err == nil {
		err = a.sawTests(ctx, change)
	}
	if err != nil {
		return "", err
	}
	if links := change.Gitlinks(); len(links) > 0 {
		return "", workspace.Failf("%s is a repository of its own: its files are not committed here", visible.Few(links))
	}
	if len(change.Diff.Files) == 0 {
		if !a.t.Unchanged {
			return "", errNothing()
		}
		return "", a.guard(ctx, change) // it may have been asked to change something
	}
	if a.t.Role == agent.Executor && !a.t.Unchanged {
		if imported := a.w.Checkout.Doc.Imported(); onlyTicked(change, a.t.Files, imported) {
			return "", workspace.Failf("the session only changed %s, which the plan was imported from: that does not count as work", visible.OneLine(imported, 200))
		}
	}
	return tree, a.guard(ctx, change)
}

// guard has the task inspect what would be committed.
func (a *Attempt) guard(ctx context.Context, change workspace.Changeset) error {
	if a.t.Guard == nil {
		return nil
	}
	a.result.Drift = slices.DeleteFunc(slices.Concat(a.try.Declared, a.result.Drift),
		func(d agent.Drift) bool { return !change.Touches(d.File) })
	change.Declared, change.ByHand = a.result.Drift, !a.ws.Task.Session
	found, err := a.t.Guard(ctx, change)
	if err != nil {
		return err
	}
	a.Notes = plan.Unique(append(a.Notes, found.Reported...))
	a.guarded = found
	if len(found.Failing) > 0 {
		return workspace.Failf("%s", strings.Join(found.Failing, "\n"))
	}
	return nil
}

// alsoGuarded adds to the reason of a check that failed why the guard would refuse the work: that may be the cause.
func (a *Attempt) alsoGuarded(ctx context.Context, changes *workspace.Changes, reason string) string {
	if changes.Empty() && a.t.Agent != nil {
		return workspace.AlsoSay(reason, errNothing().Error())
	}
	tree, err := a.stage(ctx, changes.Paths())
	if err != nil {
		return reason
	}
	change, err := a.ws.Changeset(ctx, tree)
	if err != nil || len(change.Diff.Files) == 0 {
		return reason
	}
	notes := a.Notes // what is only reported is reported of work whose checks pass
	f := workspace.FailureOf(a.guard(ctx, change))
	if a.Notes = notes; f == nil {
		return reason
	}
	first, output, _ := strings.Cut(reason, "\n")
	return strings.TrimSuffix(first+"\n"+f.Reason+"\n"+output, "\n")
}

// checked runs the task's checks and returns the tree that passed, staged, without files that a check itself added.
func (a *Attempt) checked(ctx context.Context, changes *workspace.Changes) (tree string, err error) {
	if len(a.t.Checks) == 0 {
		return a.stage(ctx, changes.Paths())
	}
	if a.inside.cannot != nil {
		return "", a.inside.cannot
	}
	if a.inside.tree != "" {
		if tree, err = a.stage(ctx, changes.Paths()); err != nil || tree == a.inside.tree {
			return tree, err
		}
	}
	paths, err := a.ws.Try(ctx, changes, a.RunChecks)
	if f, ok := errors.AsType[*runner.CheckFailure](err); ok {
		reason := f.Error()
		a.checks.failure = reason
		if a.t.Agent != nil { // a person was shown its output
			reason = explain(err).Error()
		}
		before, known := a.w.resultAt(ctx, a.ws.Before.Head, f.Command)
		// such as a program that is missing
		if known && visible.Reason(f.Output) != "" && !visible.SelectsNothing(f.Command, f.Output) &&
			agent.Fingerprint(before.Why) == agent.Fingerprint(f.Error()) {
			reason = workspace.AlsoSay(reason, "it failed in the same way before the session")
		}
		return "", workspace.Failf("%s", a.alsoGuarded(ctx, changes, reason))
	}
	if err != nil {
		return "", err
	}
	return a.stage(ctx, paths)
}

// stage stages paths. If git refuses some, because of line endings for example, another session may fix that.
func (a *Attempt) stage(ctx context.Context, paths []string) (tree string, err error) {
	tree, err = worktree.Stage(ctx, a.ws.Tree(), paths)
	if refused, ok := errors.AsType[*git.Error](err); ok && refused.Code == git.Fatal && !errors.Is(err, git.ErrLocked) &&
		!errors.Is(err, git.ErrConfined) {
		return "", workspace.Failf("%s", withLastLines("git refuses to add what it did", refused.Stderr))
	}
	return tree, err
}

// RunChecks runs the checks of a task. Those that a person accepted as failing come last, and may fail.
func (a *Attempt) RunChecks(ctx context.Context) error {
	if err := a.runCommands(ctx, slices.DeleteFunc(slices.Clone(a.t.Checks), a.t.mayFail)); err != nil {
		return err
	}
	for _, command := range a.t.Checks {
		if a.t.mayFail(command) {
			err := a.runCommands(ctx, []string{command})
			if err != nil && (ctx.Err() != nil || !errors.As(err, new(*runner.CheckFailure))) {
				return err
			}
		}
	}
	return nil
}

func (a *Attempt) runCommands(ctx context.Context, commands []string) error {
	if a.t.Agent == nil {
		return a.w.Runner.PersonsChecks(a.t.Name, journal.Notice{Step: a.t.Name}).Run(ctx, commands)
	}
	return a.ws.Check(ctx, a.t.Name, a.about(), commands, func(e runner.Ended) {
		if a.checks.ended == nil {
			a.checks.ended = map[string]runner.Ended{}
		}
		a.checks.ended[e.Command] = e
		a.checks.took += e.Exit.Duration
		a.w.addTo(a.try.Session, agent.Record{Check: a.w.Runner.Masked(e.Command), Exit: &e.Exit.Code,
			Output: a.w.Runner.Masked(strings.TrimSpace(e.Output))})
	})
}

// sawTests fails the attempt if one of its checks ran tests before the task, and none now: all of them may be left out.
func (a *Attempt) sawTests(ctx context.Context, change workspace.Changeset) error {
	if a.ws.Before.Head == "" {
		return nil
	}
	before, err := a.w.tree(ctx, a.ws.Before.Head)
	if err != nil {
		return err
	}
	var notes []string
	for _, command := range a.t.Checks {
		how, ran := a.checks.ended[command]
		none := visible.OneLine(visible.RanNothing(how.Output), 200)
		if !ran || !how.Exit.OK() || visible.RanTests(how.Output) {
			continue
		}
		tested := func(p runner.CheckResult) bool { // some print their tests only when one fails
			return p.Tested && p.Tree == before && p.Command == command && (none != "" || p.Exit.OK())
		}
		if slices.ContainsFunc(a.w.Runner.CheckResults(), tested) {
			why := fmt.Sprintf("`%s` passes, but runs no test any more: %s", command, cmp.Or(none, "its output names none"))
			if f := workspace.FailureOf(a.guard(ctx, change)); f != nil { // such as that a test file was deleted, by name
				why = workspace.AlsoSay(f.Reason, why)
			}
			return workspace.Failf("%s", why)
		}
		if none != "" {
			notes = append(notes, fmt.Sprintf("`%s` ran no test: %s", visible.OneLine(command, 200), none))
		}
	}
	a.Notes = plan.Unique(append(a.Notes, notes...)) // unless one of them is the failure
	return nil
}

// explain adds a failed check's output, for the session that must fix it.
func explain(err error) error {
	if f, ok := errors.AsType[*runner.CheckFailure](err); ok && f.Output != "" {
		return fmt.Errorf("%s\n%s", f.Error(), f.Output)
	}
	return err
}

// onlyTicked reports whether a change is only in the file that the plan was imported from: the agent ticked there.
func onlyTicked(c workspace.Changeset, files []string, imported string) bool {
	return imported != "" && !plan.MatchesAny(files, imported) && !slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool {
		return f.OldPath != imported || f.Status == 'C'
	})
}
