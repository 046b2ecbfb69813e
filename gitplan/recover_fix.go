package gitplan

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RecoverFix keeps what a fixer left that was interrupted, or that waits to be
// committed; its round of the review is held again. It must be called by whoever has
// the plan's lock.
func (w *Worker) RecoverFix(ctx context.Context) error {
	note := w.noted()
	if w.Doc == nil {
		if err := w.mayRecoverFix(ctx, note); err != nil {
			return err
		}
	}
	if note.Name == "" {
		w.discardClone() // nobody worked in it yet, or any more
	}
	if !strings.HasPrefix(note.Name, journal.FixPrefix) {
		return nil
	}
	if err := w.unlocked(true); err != nil {
		return err
	}
	if err := w.clearHalfway(ctx); err != nil {
		return err
	}
	return w.recoverNoted(ctx, note)
}

// mayRecoverFix refuses where what a fixer without a plan noted in this work tree is
// not this review's: that fixer is at work, or it worked on another branch and there
// is something in the tree, which may be the person's work on this one.
func (w *Worker) mayRecoverFix(ctx context.Context, note inProgress) error {
	if err := w.aloneHere(); err != nil || note.Name == "" || note.Branch == w.Branch {
		return err
	}
	s, err := w.Repo.Status(ctx)
	if err != nil {
		return err
	}
	w.own = note
	if !s.Clean() || !note.Clone && len(w.added(s)) > 0 {
		return fault.New(fault.ErrFixElsewhere, "a fixer on branch %s did not come to its end; whether what is in the tree is its work cannot be told here", visible.OneLine(note.Branch, 200))
	}
	return nil
}

// keepRepair keeps a repair that waits, once there is room for it in the work tree: the
// next fixer begins with that, see LeftByFixer.
func (w *Worker) keepRepair(ctx context.Context, note inProgress) error {
	if !w.before.Clean() {
		return nil // it waits on
	}
	w.recall(w.before)
	kept, err := w.keepPassed(ctx, note.Name)
	if err != nil {
		return err
	}
	w.tellLeft(note.Name, "what waited to be committed is kept as "+kept)
	if note.Branch == w.Branch {
		w.repair = kept
	}
	return nil
}
