package work

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RecoverFix keeps what a fixer left that was interrupted, or that waits to be
// committed; its round of the review is held again. It must be called by whoever has
// the plan's lock.
func (w *Worker) RecoverFix(ctx context.Context) error {
	note := w.Noted()
	if w.Doc == nil {
		if err := w.mayRecoverFix(ctx, note); err != nil {
			return err
		}
	}
	if note.Name == "" {
		w.DiscardClone() // nobody worked in it yet, or any more
	}
	if !strings.HasPrefix(note.Name, journal.FixPrefix) {
		return nil
	}
	if err := w.Unlocked(true); err != nil {
		return err
	}
	if err := w.ClearHalfway(ctx); err != nil {
		return err
	}
	return w.RecoverNoted(ctx, note)
}

// mayRecoverFix refuses where what a fixer without a plan noted in this work tree is
// not this review's: that fixer is at work, or it worked on another branch and there
// is something in the tree, which may be the person's work on this one.
func (w *Worker) mayRecoverFix(ctx context.Context, note checkout.InProgress) error {
	if err := w.AloneHere(); err != nil || note.Name == "" || note.Branch == w.Branch {
		return err
	}
	s, err := worktree.ReadStatus(ctx, w.Repo)
	if err != nil {
		return err
	}
	w.Own = note
	if !s.Clean() || !note.Clone && len(w.Added(s)) > 0 {
		return fault.New(fault.ErrFixElsewhere, "a fixer on branch %s did not come to its end; whether what is in the tree is its work cannot be told here", visible.OneLine(note.Branch, 200))
	}
	return nil
}

// keepRepair keeps a repair that waits, once there is room for it in the work tree: the
// next fixer begins with that, see LeftByFixer.
func (w *Worker) keepRepair(ctx context.Context, note checkout.InProgress) error {
	if !w.Before.Clean() {
		return nil // it waits on
	}
	w.Recall(w.Before)
	kept, err := w.KeepPassed(ctx, note.Name)
	if err != nil {
		return err
	}
	w.TellLeft(note.Name, "what waited to be committed is kept as "+kept)
	if note.Branch == w.Branch {
		w.repair = kept
	}
	return nil
}

// LeftByFixer is what a fixer of this name may go on from, the ref that keeps it, and
// the message of the commit that it was about to become, where it had passed its checks:
// what has waited until this command, wherever the branch is now, once; or what the last
// fixer of the name had done, where that was interrupted, or waited, the branch is as it
// was then, and the fixer is asked for the same.
func (w *Worker) LeftByFixer(ctx context.Context, name string, same bool) (left *git.Commit, ref, passed string) {
	if !strings.HasPrefix(name, journal.FixPrefix) {
		return nil, "", ""
	}
	ref = w.repair
	if ref != "" && strings.Contains(ref, "/"+journal.FixName(0)+"/") == (name == journal.FixName(0)) { // the verification's is no review's
		w.repair = ""
		if kept, err := w.Repo.ReadCommit(ctx, ref); err == nil {
			return &kept, ref, place.RepairMessage(kept)
		}
	}
	all, err := place.Attempts(ctx, w.Place.Checkout, name)
	if err != nil || len(all) == 0 || !same {
		return nil, "", ""
	}
	last := all[len(all)-1]
	kept, err := w.Repo.ReadCommit(ctx, last.Commit)
	if err != nil || len(kept.Parents) == 0 || kept.Parents[0] != w.Before.Head {
		return nil, "", ""
	}
	if name != journal.FixName(0) { // that one is always asked for the same: a person may have taken it back
		passed = place.RepairMessage(kept)
	}
	if passed == "" && !strings.HasPrefix(last.Reason, journal.Interrupted) {
		return nil, "", ""
	}
	return &kept, last.Ref, passed
}

// RecoverNoted keeps what was left of a task that no step goes on with.
func (w *Worker) RecoverNoted(ctx context.Context, note checkout.InProgress) (err error) {
	if w.Before, err = worktree.ReadStatusIgnored(ctx, w.Repo); err != nil {
		return err
	}
	if c, err := w.Repo.ReadCommit(ctx, "HEAD"); err == nil && note.Tree != "" && c.Tree == note.Tree && len(c.Parents) == 1 && c.Parents[0] == note.Head {
		w.ForgetProgress() // it was committed
		return nil
	}
	if note.Waits() && strings.HasPrefix(note.Name, journal.FixPrefix) && !note.Elsewhere(w.Repo.Top) {
		return w.keepRepair(ctx, note)
	}
	if _, err = w.KeepLeft(ctx, note.Name, note.Head); err == nil {
		w.ForgetProgress()
	}
	return err
}
