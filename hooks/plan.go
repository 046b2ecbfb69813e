package hooks

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// plan reads the plan of the branch that is pushed and says what is left to do with it:
// one line each, with the command that does it. It is nil without a plan. Who pushes
// less than the branch has knows that more is to come.
func (p *pushing) plan(ctx context.Context, one Push, branch string, all bool, name string, d *Decision) *journal.Document {
	id, ok := p.Config.Get("branch." + branch + ".plan")
	if !ok || id == "" {
		return nil
	}
	doc, err := p.Store.Load(ctx, id)
	if errors.Is(err, fault.ErrPlanGone) {
		return nil // the branch has none, as everywhere
	}
	if err != nil {
		d.say("%s: its plan cannot be read: %s", name, printable(err.Error()))
		return nil
	}
	if copied, _ := p.Copied(ctx, doc, branch); copied {
		return nil // the plan is that of the branch it was copied from
	}
	if !all {
		return doc
	}
	progress, err := p.progress(ctx, doc, one.LocalOID)
	switch {
	case err != nil:
		d.say("%s: what is done of its plan cannot be found out: %s", name, printable(err.Error()))
	case !progress.Complete():
		d.say("%s: %s: %s", name, progress.NotDone(), goOn(doc.Plan, progress))
	}
	settled := err == nil && progress.Complete() && p.settled(ctx, doc, branch, one)
	if ok, err := setup.IsApproved(p.Repo, id, doc.Plan); (err != nil || !ok) && !settled {
		d.say("%s: nobody has approved its plan as it is now: git plan approve", name)
	}
	if p.unpushed(ctx, doc) {
		d.say("%s: its plan is not pushed with it: git plan push %s", name, visible.Shell(p.remote))
	}
	return doc
}

// settled reports that of a plan whose steps are done nothing is left to run, as git plan
// status tells it: it was reviewed, and no review need pass in this clone.
func (p *pushing) settled(ctx context.Context, doc *journal.Document, branch string, one Push) bool {
	return p.mode != mustPass && passedBefore(p.lastReview(ctx, doc, branch, one.LocalOID))
}

// goOn is the command with which a plan goes on that is not complete.
func goOn(p *plan.Plan, pr *progress.Progress) string {
	if _, ok := pr.Next(p); ok {
		return "git plan step"
	}
	if step, ok := pr.Blocked(p); ok {
		return progress.Unblock(step.ID, pr.Steps[step.ID].Last.Question)
	}
	return "git plan status"
}

// localBranch is the branch here that is pushed. Where the person named a
// commit, it is the branch of the same name, or where that names none the one that
// is checked out, if that has it; all says that it has nothing on top.
func (p *pushing) localBranch(ctx context.Context, one Push) (branch string, all, ok bool) {
	if b, ok := (Push{RemoteRef: one.LocalRef}).Branch(); ok {
		return b, true, true
	}
	if one.LocalRef == "HEAD" || one.LocalRef == "@" {
		if branch, err := p.Repo.Branch(ctx); err != nil || branch != "" {
			return branch, true, err == nil
		}
	}
	b, named := one.Branch()
	if !named {
		b = p.Checkout.Branch
	}
	tip, err := p.Repo.Resolve(ctx, "refs/heads/"+b)
	if err != nil {
		return b, false, false
	}
	has, err := p.Repo.IsAncestor(ctx, one.LocalOID, tip)
	return b, tip == one.LocalOID, err == nil && has
}

// progress is where the plan stands on the pushed commit, which need not be
// the one that is checked out.
func (p *pushing) progress(ctx context.Context, doc *journal.Document, head string) (*progress.Progress, error) {
	commits, err := progress.Since(ctx, p.Store, doc, head)
	if err != nil {
		return nil, err
	}
	return progress.Of(ctx, p.Store, doc, commits), nil
}

// unpushed reports that the remote, as far as it is known here, lacks the plan
// as it is now, and that this push does not bring it.
func (p *pushing) unpushed(ctx context.Context, doc *journal.Document) bool {
	if !p.named {
		return false // nothing here says what it has
	}
	for _, one := range p.all {
		if one.RemoteRef == "refs/plans/"+doc.ID && one.LocalOID == doc.Tip {
			return false
		}
	}
	return !p.HasPlan(ctx, p.remote, doc)
}
