package hooks

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// planOf reads the plan of the pushed branch; nil without one, or if the branch is a copy of the plan's.
func (p *pushCheck) planOf(ctx context.Context, branch, name string, d *Decision) *journal.Document {
	id, ok := p.Checkout.Config.Get("branch." + branch + ".plan")
	if !ok || id == "" {
		return nil
	}
	doc, err := p.Checkout.Store.Load(ctx, id)
	if errors.Is(err, fault.ErrPlanGone) {
		return nil // all commands treat such a branch as one without a plan
	}
	if err != nil {
		d.say("%s: its plan cannot be read: %s", name, printable(err.Error()))
		return nil
	}
	if copied, _ := p.Checkout.Copied(ctx, doc, branch); copied {
		return nil
	}
	return doc
}

// planFacts gathers the facts about the plan of a pushed branch; last may be nil.
func (p *pushCheck) planFacts(ctx context.Context, one Push, doc *journal.Document,
	last *ledger.Ledger, name string) planFacts {
	f := planFacts{name: name, block: p.mode == block, reviewed: passedBefore(last), remote: p.remote}
	commits, err := progress.Since(ctx, p.Checkout.Store, doc, one.LocalOID)
	if err != nil {
		f.unknown = err.Error()
	} else if pr := progress.Derive(ctx, p.Checkout.Store, doc, commits); !pr.Complete() {
		f.notDone, f.next = "its plan is not done: "+pr.Summary(), "git plan status"
		if _, ok := pr.Next(doc.Plan); ok {
			f.next = "git plan step"
		} else if step, ok := pr.Blocked(doc.Plan); ok {
			f.next = progress.Unblock(step.ID, pr.Steps[step.ID].Last())
		}
	}
	waits, err := integrity.Waits(p.Checkout.Repo, doc.ID, doc.Plan)
	f.approved = err == nil && waits.None() && doc.Plan.Approvable() == nil
	brought := func(one Push) bool { return one.RemoteRef == "refs/plans/"+doc.ID && one.LocalOID == doc.Tip }
	f.unpushed = p.named && !slices.ContainsFunc(p.all, brought) && // otherwise the remote's plan is unknown
		slices.Contains(share.KnowPlan(ctx, p.Checkout, doc.ID), p.remote) && !share.HasPlan(ctx, p.Checkout, p.remote, doc)
	return f
}

// localBranch returns the local branch that is pushed. For HEAD or a commit it is the current branch or, on a detached
// HEAD, the branch with the remote's name, if it contains the commit. all reports whether its tip is pushed.
func (p *pushCheck) localBranch(ctx context.Context, one Push) (branch string, all, ok bool) {
	if b, ok := strings.CutPrefix(one.LocalRef, "refs/heads/"); ok {
		return b, true, true
	}
	branch = cmp.Or(p.Checkout.Branch, shown(one.RemoteRef))
	tip, err := p.Checkout.Repo.Resolve(ctx, "refs/heads/"+branch)
	if err != nil {
		return branch, false, false
	}
	has, err := p.Checkout.Repo.IsAncestor(ctx, one.LocalOID, tip)
	return branch, tip == one.LocalOID, err == nil && has
}

// reviewFacts gathers the review of the commits that one ref brings; doc and last may be nil.
func (p *pushCheck) reviewFacts(ctx context.Context, doc *journal.Document, last *ledger.Ledger, r *pushRange,
	name string) reviewFacts {
	f := reviewFacts{
		name: name, remote: cmp.Or(p.remote, "REMOTE"), block: p.mode == block, planned: doc != nil, first: r.first,
		base: r.of, pushedFrom: r.base, blocking: len(last.Blocking()), passedBefore: passedBefore(last),
	}
	f.isBase = doc == nil && strings.TrimPrefix(r.of, "origin/") == name
	known := func(base string) *ledger.Verdict {
		v, err := reviewers.Known(ctx, p.Checkout, doc, cmp.Or(base, p.Checkout.Repo.EmptyTree()), r.head.OID)
		if err == nil {
			f.comparable = true
		} else if f.unknown == "" {
			f.unknown = err.Error()
		}
		return v
	}
	bases := []string{r.base} // the bases of verdicts that count; "" is the empty tree
	if set, _ := p.Checkout.Config.Get("plan.base"); r.work != r.base && (r.known || r.base == "" && set != "") {
		bases = []string{r.work, r.base} // on a first push, plan.base decides where the work begins
	}
	if doc != nil && doc.Start() == journal.None {
		bases = append(bases, "")
	}
	for _, base := range bases {
		v := known(base)
		if f.verdict = f.verdict || v.Passes(); f.passes() {
			return f
		}
		if f.ended == "" && v != nil && !v.Passes() {
			f.ended = v.End
		}
	}
	if !r.known && r.work != "" && r.work != r.base {
		f.partPassed = known(r.work).Passes()
	}
	return f
}

// lastReview returns the ledger of the branch's last review; nil if it judged other files than head's.
func (p *pushCheck) lastReview(ctx context.Context, doc *journal.Document, branch, head string) *ledger.Ledger {
	l, err := ledger.Last(ctx, p.Checkout.Store, doc, branch)
	if err != nil || l == nil {
		return nil
	}
	if c, err := p.Checkout.Repo.ReadCommit(ctx, head); err != nil || l.HeadTree != c.Tree {
		return nil
	}
	return l
}

func passedBefore(l *ledger.Ledger) bool { return l != nil && l.End.Passes() && len(l.Only) == 0 }
