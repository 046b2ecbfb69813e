package place

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// KeepLeft keeps what a session left that began at a commit (or None), and puts the tree back.
// Commits that the session itself made are kept with it and taken off the branch; those that the
// person has made since stay.
func (p *Place) KeepLeft(ctx context.Context, name, began string) (kept string, err error) {
	p.Recall()
	p.ledger.ByChecks = map[string]bool{}
	if p.own.OfOtherTree(p.Repo.Top) { // what is in this work tree is the person's
		p.ReportLeft(name, p.leftBy(name)+"in "+visible.OneLine(p.own.Top, 200))
		Forget(p.Checkout)
		return "", nil
	}
	return p.noted().keepLeft(ctx, p, name, began)
}

func (tree) keepLeft(ctx context.Context, p *Place, name, began string) (kept string, err error) {
	p.reportTouched(ctx, name)
	at := p.Before.Head
	if began = strings.TrimSuffix(began, journal.None); at != began {
		own, known, err := p.MadeBySession(ctx, began)
		if err != nil {
			return "", err
		}
		if own && known {
			p.Before.Head = began
		}
	}
	if err := p.unignore(ctx, p.Before); err != nil {
		return "", err
	}
	left := append(p.Before.Paths(), p.added(p.Before)...)
	if len(left) == 0 {
		left = []string{"its commits"}
	}
	before := p.own.Halfway // it was being taken out of the tree, and is kept
	reason := p.own.Ended()
	if reason == journal.Interrupted && !p.own.Proving {
		reason = attempts.KilledReason
	}
	if kept, err = p.Keep(ctx, name, reason); err != nil {
		return "", err
	}
	kept = cmp.Or(before, kept)
	p.reportKept(name, kept, left)
	if began == "" && p.Before.Head == "" && at != "" {
		if err := p.Repo.DeleteRef(ctx, "refs/heads/"+p.Branch, at, "plan: kept as an attempt"); err != nil {
			return kept, err
		}
	}
	p.Before, err = worktree.ReadStatusIgnored(ctx, p.Repo)
	return kept, err
}

// KeepPassed keeps what passed its checks in a clone.
func (p *Place) KeepPassed(ctx context.Context, name string) (kept string, err error) {
	if kept, err = p.keepNoted(ctx, name); err == nil {
		Forget(p.Checkout)
	}
	return kept, err
}

// FinishCommit commits the tree that was about to be committed when git plan was killed; if that
// fails, out is failed.
func (p *Place) FinishCommit(ctx context.Context, name, tree string, out *Ending, commit func() error) error {
	return p.noted().finish(ctx, p, name, tree, out, commit)
}

// reportKept reports what is kept of an earlier command's session.
func (p *Place) reportKept(name, kept string, paths []string) {
	if kept == "" {
		return
	}
	since, see := "", ""
	if p.own.Ended() == journal.Interrupted && !p.own.Proving && !p.own.Apart() {
		since, see = ", with whatever was changed since", "; see it: "+attempts.HowToSee(p.Checkout, kept)
	}
	p.ReportLeft(name, fmt.Sprintf("%skept as %s%s: %s%s", p.leftBy(name), kept, since, visible.OneLine(strings.Join(paths, ", "), 300), see))
}

// leftBy begins what is reported of the session of an earlier command.
func (p *Place) leftBy(name string) string {
	if p.own.Proving {
		return "a check that was run before any session was interrupted: what it left is "
	}
	at, how := "the last session", "was interrupted"
	if step := journal.About(name, agent.Executor, 0).Step; step != "" {
		at += " at step " + step
	}
	if len(p.own.Changed) > 0 {
		how = "failed (tampering)"
	}
	return at + " " + how + ": what it left is "
}
