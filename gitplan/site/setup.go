package site

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// Scene returns the work tree as far as its set-up goes.
func (s *Site) Scene() setup.Scene {
	at := setup.Scene{Repo: s.Repo, Config: s.Config, Branch: s.Branch}
	if s.Doc != nil {
		at.Plan, at.Slot = s.Doc.ID, s.Slot
	}
	return at
}

// PutSetupBack restores what is this program's own: which plan the branch has, and what was
// approved of it. All else is up to the person.
func (s *Site) PutSetupBack(ctx context.Context, before setup.Setup) error {
	if s.Doc == nil {
		return nil
	}
	if err := s.Scene().ApprovalBack(before); err != nil {
		return err
	}
	if id, err := s.Repo.Output(ctx, "config", "--get", setup.PlanKey(s.Branch)); err != nil || id != s.Doc.ID {
		return s.Attach(ctx, s.Doc.ID)
	}
	return nil
}

// Unchanged returns an error if the set-up is not what it was: no git may be run then.
func (w *Watch) Unchanged(ctx context.Context) error {
	changed, _, err := w.Changed(ctx)
	if err == nil && len(changed) > 0 {
		err = errors.New(checkout.Tampering(changed))
	}
	return err
}

// PlansBack puts back what was moved of the plans, of other ones too.
func (s *Site) PlansBack(ctx context.Context, before setup.Setup) (moved []string, err error) {
	id := ""
	if s.Doc != nil {
		id = s.Doc.ID
	}
	if moved, err = before.RefsBack(ctx, s.Repo, id); err != nil {
		return moved, err
	}
	own, err := s.PlanBack(ctx)
	return append(moved, own...), err
}

// PlanBack puts the plan's ref back if it was moved, or removed, and says so, with both
// of its values. No other git plan writes while we hold the plan's lock and its text.
func (s *Site) PlanBack(ctx context.Context) (moved []string, err error) {
	if s.Doc == nil {
		return nil, nil
	}
	was, is, strayed, err := s.Store.Back(ctx, s.Doc.ID)
	if !strayed {
		return nil, err
	}
	return []string{setup.Move{Ref: journal.RefPrefix + s.Doc.ID, Old: was, New: is}.Undone(s.Doc.ID)}, err
}

// BranchBack puts the branch, which is at now, back to head ("" if it was unborn), and HEAD on it.
func (s *Site) BranchBack(ctx context.Context, head, now, reason string) (err error) {
	ref := "refs/heads/" + s.Branch
	switch {
	case head == now:
	case head == "":
		err = s.Repo.DeleteRef(ctx, ref, now, reason)
	default:
		err = s.Repo.UpdateRef(ctx, ref, head, now, reason)
	}
	if on, berr := s.Repo.Branch(ctx); err != nil || berr == nil && on == s.Branch {
		return err
	}
	return s.Repo.Run(ctx, git.Command{Args: []string{"symbolic-ref", "HEAD", ref}, Writes: true})
}
