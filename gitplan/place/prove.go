package place

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/site"
)

// aMoment bounds a check that is only to be known about: nothing waits for it longer.
const aMoment = time.Minute

// Proving is a check that is run before a task has begun, on what HEAD has.
type Proving struct {
	Name    string         // of the task
	Files   []string       // that it is to write; patterns
	Of      journal.Notice // what the check is of
	Quietly bool           // nobody hears of it, and it has a moment
}

// Prove runs one command as Check does, before any session at the task. failed is how it failed,
// nil if it passed. What it changed in tracked files, or wrote where the task is to write, is
// taken back, and kept if this is the work tree; what else it wrote was there before the task.
func (p *Place) Prove(ctx context.Context, t Proving, command string) (failed *site.CheckFailure, err error) {
	c, err := p.checks(ctx, t.Name, t.Of)
	if err != nil {
		return nil, err
	}
	if t.Quietly {
		c.On, c.Timeout = nil, min(c.Timeout, aMoment)
	}
	p.own = checkout.InProgress{Name: t.Name, Branch: p.Branch, Top: p.Repo.Top, Head: journal.OrNone(p.Before.Head), Ignored: p.Before.Ignored, Ground: p.ground.name()}
	for _, path := range p.Before.Untracked {
		p.own.Untracked = append(p.own.Untracked, worktree.RawFileOf(p.Tree(), path))
	}
	ran := c.Run(ctx, []string{command})
	if err := p.asBefore(context.WithoutCancel(ctx), t); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if errors.As(ran, &failed) {
		return failed, nil
	}
	return nil, ran
}

// asBefore puts the place back to what it was before a check that judged nobody's work.
func (p *Place) asBefore(ctx context.Context, t Proving) error {
	now, err := worktree.ReadStatusIgnored(ctx, p.Tree())
	if err != nil {
		return err
	}
	if now.Head != p.Before.Head {
		return fault.New(fault.ErrMovedBranch, "HEAD was moved while a check of the plan ran")
	}
	added := p.added(now)
	inTheWay := slices.ContainsFunc(added, func(path string) bool { return plan.MatchesAny(t.Files, path) })
	if !now.Clean() || inTheWay {
		if p.ground.lasts() {
			ref, err := p.Keep(ctx, t.Name, "what checks wrote before the task began")
			if err != nil {
				return err
			}
			p.Tell(t.Of.Of(journal.StepNote, "what checks wrote before any work is taken back, and kept as "+ref))
			p.TaskNote().Remove()
		} else if err := worktree.Restore(ctx, p.Tree(), p.Before.Head, added); err != nil {
			return err
		}
		if now, err = worktree.ReadStatusIgnored(ctx, p.Tree()); err != nil {
			return err
		}
	}
	if !p.ground.lasts() {
		now.Untracked, now.Ignored = nil, append(now.Untracked, now.Ignored...)
	}
	p.Before, p.own = now, checkout.InProgress{}
	return nil
}
