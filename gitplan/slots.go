package gitplan

import (
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/work"
)

// inSlot returns a walk through the same plan in a slot.
func (s *Steps) inSlot(ctx context.Context, name string, turn *work.Turn) (*Steps, error) {
	c, err := s.Checkout.Beside(ctx, name)
	if err != nil {
		return nil, err
	}
	b := &Steps{Worker: s.Worker.Beside(s.Site.Beside(c), turn), Guard: s.Guard, GuardOf: s.GuardOf, Drift: s.Drift, Clean: s.Clean, collided: map[string]int{}}
	if s.GuardOf != nil {
		if b.Guard, err = s.GuardOf(c); err != nil {
			c.Close()
			return nil, err
		}
	}
	if s.Writer != nil {
		c.Repo.OnWrite = s.Writer()
	}
	return b, nil
}

// recoverSlots recovers what steps side by side left when git plan was killed, beginning with the
// one that was about to land.
func (s *Steps) recoverSlots(ctx context.Context) error {
	slots := checkout.Slots(s.Repo, s.Doc.ID)
	if len(slots) == 0 || s.Slot != "" {
		return nil
	}
	var left []*Steps
	defer func() {
		for _, b := range left {
			b.Close()
		}
	}()
	for _, name := range slots {
		b, err := s.inSlot(ctx, name, nil)
		if err != nil {
			return err
		}
		left = append(left, b)
	}
	slices.SortStableFunc(left, func(a, b *Steps) int { return rank(a.Noted()) - rank(b.Noted()) })
	for _, b := range left {
		if err := b.recoverSlot(ctx); err != nil {
			return err
		}
	}
	if err := s.Reload(ctx); err != nil {
		return err
	}
	return s.Derive(ctx)
}

// rank puts the step that was landing first: until it is recovered the work tree is not clean.
func rank(note checkout.InProgress) int {
	if note.Landing {
		return 0
	}
	return 1
}

// recoverSlot is recover in a slot; what is half made, and belongs to no task, is removed.
func (s *Steps) recoverSlot(ctx context.Context) error {
	if err := s.Reload(ctx); err != nil {
		return err
	}
	if err := s.Unlocked(true); err != nil {
		return err
	}
	before, err := worktree.ReadStatusIgnored(ctx, s.Repo)
	if err != nil {
		return err
	}
	_, err = s.recover(ctx, place.At(s.Site, before))
	if step, st, unfinished := s.unfinished(); err == nil && !unfinished && (step == nil || st.State == progress.StateDone) {
		place.Forget(s.Checkout)
	}
	return err
}
