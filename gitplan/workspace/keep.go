package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// DiffSoFar returns the changes since the task began, as text for the next session.
func (w *Workspace) DiffSoFar(ctx context.Context) (string, error) {
	if w.Before.Head != "" {
		// What a refused commit had staged is unstaged again, and stays in the tree.
		if err := w.Tree().Run(ctx, git.Command{Args: []string{"reset", "--quiet"}, Writes: true}); err != nil {
			return "", err
		}
	}
	s, err := statusOutsideSubmodules(ctx, w)
	if err != nil {
		return "", err
	}
	changes := w.Files.changesIn(s)
	if changes.Empty() {
		return "", nil
	}
	tree, err := worktree.Snapshot(ctx, w.Tree(), changes.Paths())
	if err != nil {
		return "", err
	}
	patch := &proc.Tail{Size: 2 * proc.DefaultTail}
	err = git.WritePatch(ctx, w.Checkout.Repo, patch, w.Before.Head, tree)
	return patch.String(), err
}

// Keep is keepTree for an attempt that ends: what it built goes, too.
func (w *Workspace) Keep(ctx context.Context, e checkout.Ending) (ref string, err error) {
	if w.state.Phase == checkout.Rebasing {
		return w.KeepPassed(ctx)
	}
	ref, ignored, err := w.keepTree(ctx, e)
	if err == nil && e.Message == "" && !w.InClone() && !w.began.IsZero() { // a message: it is checked again as it was built
		w.Files.TakeBuilt("the attempt", ignored, w.began)
	}
	return ref, err
}

// keepTree commits the tree, without ignored files, under a ref of its own and restores it. The ref is "" for no change.
func (w *Workspace) keepTree(ctx context.Context, e checkout.Ending) (ref string, ignored []string, err error) {
	s, err := statusOutsideSubmodules(ctx, w)
	if err == nil {
		err = w.asCheckedOut(ctx, nil) // no restoring reaches what git calls unmodified
	}
	if err != nil {
		return "", nil, err
	}
	ignored = s.Ignored
	changes, err := w.keepable(ctx, s)
	if err != nil {
		return "", nil, err
	}
	if ref, err = w.keepChanges(ctx, changes, e); err != nil || ref == "" {
		return "", ignored, err
	}
	if err = w.recordRestoring(ctx, cmp.Or(w.state.Attempt, ref)); err == nil { // after a kill in this: the whole
		err = w.restore(ctx, changes.Added)
	}
	return ref, ignored, err
}

// statusOutsideSubmodules puts submodules back in a clone; in the work tree it reports what was changed in them.
func statusOutsideSubmodules(ctx context.Context, w *Workspace) (*worktree.Status, error) {
	s, err := w.status(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range w.Files.inside(s) {
		if w.InClone() {
			if err := worktree.PutSubmodule(ctx, w.Checkout.Repo, w.Tree(), path); err != nil {
				return nil, err
			}
			w.Runner.ReportNote(w.state.Name, "the submodule "+path+" is as it was before: the changes in it are gone")
			continue
		}
		w.Before.Inside = append(w.Before.Inside, path)
		w.Runner.ReportNote(w.state.Name, "what was changed in the submodule "+path+" stays there; to remove it: git submodule update --force "+visible.Shell(path))
	}
	return s, nil
}

// keepable returns what a status shows, without the user's files, and with those of repositories that a session made.
func (w *Workspace) keepable(ctx context.Context, s *worktree.Status) (*Changes, error) {
	s, err := w.Files.unstage(ctx, s)
	if err == nil && !slices.Contains(s.Paths(), ".gitmodules") {
		s, err = unstaged(ctx, w, s, s.PathsOf(func(c worktree.Change) bool { return c.Submodule && c.XY[0] == 'A' }))
	}
	if err == nil {
		s, err = w.Files.disarm(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return w.Files.changesIn(s), nil
}

func (w *Workspace) keepChanges(ctx context.Context, changes *Changes, e checkout.Ending) (string, error) {
	if w.InClone() && changes.Empty() { // all that git ignores is removed, too
		changes.Added = w.Files.hidden
	}
	if changes.Empty() && changes.Status.Head == w.Before.Head {
		return "", nil
	}
	tree, err := worktree.Snapshot(ctx, w.Tree(), changes.Paths())
	if err != nil {
		return "", err
	}
	began, head := w.Before.Head, changes.Status.Head
	from := parents(head)
	if began != "" && head != "" && head != began { // it is compared with the first: where the task began, if head builds on that
		if builds, err := w.Checkout.Repo.IsAncestor(ctx, began, head); err != nil {
			return "", err
		} else if builds {
			from = []string{began, head}
		}
	}
	return w.Checkout.Attempts().Keep(ctx, tree, from, w.state.Name, e)
}

func parents(commit string) []string {
	if commit == "" {
		return nil
	}
	return []string{commit}
}

// restore puts the tree back to where the task began, and files of the user's that a session had committed.
func (w *Workspace) restore(ctx context.Context, added []string) error {
	if w.InClone() {
		return nil
	}
	if err := worktree.Restore(ctx, w.Tree(), w.Before.Head, added); err != nil {
		return err
	}
	w.Files.restore(ctx)
	return nil
}

// HowToRestore says how a person gets back kept files that may be theirs; "" where only sessions work.
func (w *Workspace) HowToRestore(kept string, paths []string) string {
	if kept == "" || w.InClone() {
		return ""
	}
	name := strings.TrimPrefix(kept, journal.AttemptPrefix+w.Checkout.Attempts().Owner()+"/")
	command := "git plan attempts restore " + visible.Shell(name)
	if len(paths) > 6 {
		return command + " FILE"
	}
	for _, path := range paths {
		command += " " + visible.Shell(path)
	}
	return command
}

// KeepInterrupted keeps the work of a session that began at a commit, with its commits, and restores tree and branch.
func (w *Workspace) KeepInterrupted(ctx context.Context, began string) (kept string, err error) {
	w.LoadState(ctx)
	if w.state.InOtherWorktree(w.Checkout.Repo.Top) { // everything in this work tree is the user's
		w.Runner.ReportNote(w.state.Name, leftBy(w.state)+"in "+w.state.Top)
		w.Checkout.Task().Forget()
		return "", nil
	}
	if w.state.InClone {
		return new(clone).keepInterrupted(ctx, w)
	}
	return keepInTree(ctx, w, began)
}

func keepInTree(ctx context.Context, w *Workspace, began string) (kept string, err error) {
	at := w.Before.Head
	if began = trimNone(began); at != began {
		own, known, err := w.Runner.MadeBySession(ctx, began)
		if err != nil {
			return "", err
		}
		if own && known {
			w.Before.Head = began
		}
	}
	if err := w.Files.unignore(ctx, w.Before); err != nil {
		return "", err
	}
	if w.state.Phase == checkout.Working {
		w.Files.since = w.state.Began
		if err := w.Files.setAside(ctx, w.Before); err != nil {
			return "", err
		}
		w.reportTouched(ctx) // some of it may be the user's own doing
	}
	if nested := w.Files.nested(w.Before); len(nested) > 0 { // the user may have cloned them since
		for _, name := range nested {
			w.Files.byChecks[name+"/"] = true
		}
		w.Runner.ReportNote(w.state.Name,
			visible.Few(nested)+" is a repository of its own, and stays: remove it if the session made it")
	}
	left := append(w.Before.Paths(), w.Files.added(w.Before)...)
	if len(left) == 0 {
		left = []string{"its commits"}
	}
	whole, phase := w.state.Attempt, w.state.Phase // was being put into the tree or taken out of it, and is kept
	ended := w.state.Ended()
	if ended.Interrupted && phase != checkout.Checking {
		ended.Reason = checkout.KilledReason
	}
	if kept, err = w.Keep(ctx, ended); err != nil {
		return "", err
	}
	w.state.Phase = phase // notices are about this
	w.reportKept(cmp.Or(kept, whole), left)
	kept = cmp.Or(whole, kept)
	if began == "" && w.Before.Head == "" && at != "" {
		if err := w.Checkout.Repo.DeleteRef(ctx, "refs/heads/"+w.Checkout.Branch, at, "plan: kept as an attempt"); err != nil {
			return kept, err
		}
	}
	w.Before, err = worktree.ReadStatusIgnored(ctx, w.Checkout.Repo)
	return kept, err
}

// KeepPassed keeps the tree that passed, with its message. The task is forgotten once an event names what is kept.
func (w *Workspace) KeepPassed(ctx context.Context) (kept string, err error) {
	return w.Checkout.Attempts().Keep(ctx, w.state.Tree, parents(trimNone(w.state.Head)), w.state.Name,
		checkout.Ending{Reason: checkout.PassedReason, Message: w.state.Message})
}

func (w *Workspace) reportKept(kept string, paths []string) {
	if kept == "" {
		return
	}
	since := ""
	if !w.state.InClone {
		since = ", with whatever was changed since"
	}
	w.Runner.ReportNote(w.state.Name, fmt.Sprintf("%skept%s: %s; see it: %s", leftBy(w.state), since,
		visible.OneLine(strings.Join(paths, ", "), 300), w.Checkout.Attempts().ShowCommand(kept)))
}

func leftBy(state checkout.TaskState) string {
	if state.Phase == checkout.Checking {
		return "a check that was run before any session was interrupted: what it left is "
	}
	at, how := "the last session", "was interrupted"
	if step := journal.About(state.Name, agent.Executor, 0).Step; step != "" {
		at += " at step " + step
	}
	if len(state.Changed) > 0 {
		how = "failed (tampering)"
	}
	return at + " " + how + ": what it left is "
}

// RestoreAttempt puts what an attempt had changed, or named files and folders of that, into the clean work tree.
func RestoreAttempt(ctx context.Context, s *runner.Runner, k checkout.KeptAttempt, paths ...string) error {
	p, err := Ready(ctx, s)
	if err != nil {
		return err
	}
	commit, err := p.Checkout.Repo.ReadCommit(ctx, k.Commit)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		if commit, err = s.Checkout.Attempts().NamedPart(ctx, k, commit, paths); err != nil {
			return err
		}
	}
	err = p.putKept(ctx, commit)
	if errors.Is(err, worktree.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrDoesNotFit, Name: k.Name,
			Text: fmt.Sprintf("attempt %s conflicts with what the branch has now", k.Name)}
	}
	return err
}

// PutKept puts a kept attempt into the clean tree of sessions; ErrInTheWay: it would overwrite a file of the user's.
func (w *Workspace) PutKept(ctx context.Context, ref string, kept git.Commit) error {
	if err := w.recordRestoring(ctx, ref); err != nil {
		return err
	}
	return w.putKept(ctx, kept)
}

func (w *Workspace) putKept(ctx context.Context, kept git.Commit) error {
	inTheWay, err := InTheWay(ctx, w.Tree(), w.Before, checkout.ParentOf(kept), kept.OID)
	if err != nil {
		return err
	}
	if len(inTheWay) > 0 {
		return fault.New(fault.ErrInTheWay, "%s is not tracked, and what the attempt had made would overwrite it", inTheWay[0])
	}
	return worktree.ApplyCommit(ctx, w.Tree(), kept)
}

// KeepAndRemove keeps all of the session's work, and takes files that may be a person's out of their tree.
func (w *Workspace) KeepAndRemove(ctx context.Context, reason string, files []string) (ref string, err error) {
	if len(files) == 0 || w.InClone() {
		return "", nil
	}
	if ref, _, err = w.keepTree(ctx, checkout.Ending{Reason: reason}); err != nil || ref == "" {
		return "", err
	}
	kept, err := w.Checkout.Repo.ReadCommit(ctx, ref)
	if err != nil {
		return "", err
	}
	part, stays, err := w.Checkout.Attempts().Part(ctx, kept,
		func(path string) bool { return !slices.Contains(files, path) })
	if err != nil || len(stays) == 0 {
		return ref, err
	}
	return ref, w.putKept(ctx, part)
}

func trimNone(commit string) string { return strings.TrimSuffix(commit, journal.None) }
