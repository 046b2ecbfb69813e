package place

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/remote"
	"github.com/git-plan/git-plan/gitplan/site"
)

// ByHand returns the place in the work tree where a person works at a step that is open by next.
func ByHand(s *site.Site, now *worktree.Status) *Place {
	p := At(s, now)
	p.Recall()
	return p
}

// Enter returns the place where a role's sessions work at the task: the work tree, or a new clone
// if plan.isolation says so, or other steps run at the same time. Forget removes the clone together with the task's note.
func (p *Place) Enter(ctx context.Context, role agent.Role) (here *Place, leave func(), err error) {
	where, err := p.Config.Isolation()
	if err != nil {
		return p, func() {}, err
	}
	l, err := remote.Of(p.Config, role)
	if err != nil || where == treeName && l == nil && p.Slot == "" {
		return p, func() {}, err
	}
	if here, leave, err = p.enterClone(ctx); err == nil && l != nil {
		here.launch(*l)
	}
	return here, leave, err
}

// noted returns the isolation of a task that was killed. p itself stays in the work tree.
func (p *Place) noted() isolation {
	if p.own.Ground == cloneName || p.own.Clone {
		return &clone{}
	}
	return tree{p.Repo}
}

// Forget is called when the task of a plan, or of a review without one, is over: by then what the
// clone holds is kept, or committed.
func Forget(c *checkout.Checkout) {
	c.TaskNote().Remove()
	DiscardClone(c)
}

// Leave is Forget for a task that is done. In a slot the clone stays for the next one there.
func Leave(c *checkout.Checkout) {
	c.TaskNote().Remove()
	if c.Slot == "" {
		DiscardClone(c)
	}
}

// Abandon is Forget for a task that an error kept from beginning. The note stays if a person must
// look at a changed set-up.
func Abandon(c *checkout.Checkout, err error) {
	if !errors.Is(err, fault.ErrSetupChanged) {
		c.TaskNote().Remove()
	}
	DiscardClone(c)
}

// Ready returns a place in the work tree for a task that is not a step: the tree must be clean
// except for untracked files.
func Ready(ctx context.Context, s *site.Site) (*Place, error) {
	if err := journal.FreeOfLocks(s.Repo, time.Time{}); err != nil {
		return nil, err
	}
	now, err := worktree.ReadStatusIgnored(ctx, s.Repo)
	if err == nil && !now.Clean() {
		err = Dirty(now)
	}
	return At(s, now), cmp.Or(err, CloneIsFree(s.Checkout))
}
