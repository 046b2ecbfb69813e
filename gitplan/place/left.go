package place

import (
	"cmp"
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// KeepLeft keeps what a session left that began at a commit (or None), and puts
// the tree back. Commits that the session itself made are kept with it and taken
// off the branch; those that the person made since stay.
func (p *Place) KeepLeft(ctx context.Context, name, began string) (kept string, err error) {
	p.Recall(p.Before)
	p.Byproducts = map[string]bool{}
	if p.Own.Elsewhere(p.Repo.Top) { // what is in this one is the person's
		p.TellLeft(name, p.leftBy(name)+"in "+visible.OneLine(p.Own.Top, 200))
		p.ForgetProgress()
		return "", nil
	}
	if p.Own.Clone {
		return p.keepClone(ctx, name)
	}
	p.tellTouched(ctx, name)
	at := p.Before.Head
	if began = strings.TrimSuffix(began, journal.None); at != began {
		own, known, err := p.madeBySession(ctx, began)
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
	left := append(p.Before.Paths(), p.Added(p.Before)...)
	if len(left) == 0 {
		left = []string{"its commits"}
	}
	before := p.Own.Halfway // it was being taken out of the tree, and all of it is kept
	if kept, err = p.Keep(ctx, name, p.Own.Ended()); err != nil {
		return "", err
	}
	kept = cmp.Or(before, kept)
	p.tellKept(name, kept, left)
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
	var parents []string
	if p.Own.Head != journal.None {
		parents = []string{p.Own.Head}
	}
	if kept, err = p.KeepTree(ctx, p.Own.Tree, parents, name, PassedReason+"\n\n"+p.Own.Message); err == nil {
		p.ForgetProgress()
	}
	return kept, err
}
