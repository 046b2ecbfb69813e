package place

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// Scene is the place as far as its set-up goes.
func (p *Place) Scene() setup.Scene {
	s := setup.Scene{Repo: p.Repo, Config: p.Config, Clone: p.Clone, Branch: p.Branch}
	if p.Doc != nil {
		s.Plan = p.Doc.ID
	}
	return s
}

// PutSetupBack restores what is this program's own: which plan the branch has,
// and what was approved of it. Everything else the person looks at.
func (p *Place) PutSetupBack(ctx context.Context, before setup.Setup) error {
	if p.Doc == nil {
		return nil
	}
	if err := p.Scene().ApprovalBack(before); err != nil {
		return err
	}
	if id, err := p.Repo.Output(ctx, "config", "--get", setup.PlanKey(p.Branch)); err != nil || id != p.Doc.ID {
		return p.Attach(ctx, p.Doc.ID)
	}
	return nil
}

// AsSetUp is an error if the set-up is not what it was: no git may be run then.
func (p *Place) AsSetUp(ctx context.Context, untouched setup.Setup) error {
	changed, _, err := p.Scene().Changed(ctx, untouched)
	if err == nil && len(changed) > 0 {
		err = errors.New(checkout.Tampering(changed))
	}
	return err
}

// PlansBack puts back what of the plans was moved, of other ones too.
func (p *Place) PlansBack(ctx context.Context, before setup.Setup) (moved []string, err error) {
	id := ""
	if p.Doc != nil {
		id = p.Doc.ID
	}
	if moved, err = before.RefsBack(ctx, p.Repo, id); err != nil {
		return moved, err
	}
	own, err := p.restorePlan(ctx)
	return append(moved, own...), err
}

// restorePlan puts the plan's ref back if it was moved, or removed, and says so, with both
// of its values. The moved value stays in the ref's reflog. No other git plan writes while
// we hold the plan's lock and its text.
func (p *Place) restorePlan(ctx context.Context) (moved []string, err error) {
	if p.Doc == nil {
		return nil, nil
	}
	ref := journal.RefPrefix + p.Doc.ID
	now, err := p.Repo.Resolve(ctx, ref)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return nil, err
	}
	if now == p.Tip {
		return nil, nil
	}
	return []string{fmt.Sprintf("the session moved the plan to %s (%s is back at %.10s)", journal.OrNone(now), ref, p.Tip)}, p.Repo.UpdateRef(ctx, ref, p.Tip, now, "plan: put back after a session")
}
