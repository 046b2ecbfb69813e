package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
)

// look returns the state of the tree that sessions work in. A session does not decide what is
// left out of its commit: what git ignores only by the session's own rules counts as untracked.
// In a person's own work their rules count.
func (p *Place) look(ctx context.Context) (*worktree.Status, error) {
	if p.byHand() {
		return worktree.ReadStatus(ctx, p.Tree())
	}
	s, err := worktree.ReadStatusIgnored(ctx, p.Tree())
	if err != nil {
		return nil, err
	}
	p.sighted = s
	return s, p.unignore(ctx, s)
}

// unignore adds to what is untracked the new files that git ignores only by rules of a session's.
func (p *Place) unignore(ctx context.Context, s *worktree.Status) error {
	if p.byHand() {
		return nil
	}
	return p.unseenLook().Unignore(ctx, s)
}

// byHand reports whether no session works, or worked, in the tree.
func (p *Place) byHand() bool { return p.index == nil && p.own.Session == "" }

// unseenLook returns what must be known to find what of the session's work git does not show.
func (p *Place) unseenLook() unseen.Look {
	return unseen.Look{Tree: p.Tree(), Repo: p.Repo, Before: &p.own, Ledger: &p.ledger}
}

// shadowing returns programs that were added while the plan was worked on, and that would run in
// place of the system's own. Those that a failed session left stay there, so looking only at the
// last session would not do.
func (p *Place) shadowing(s *worktree.Status) []string {
	since := p.ledger.Since
	if p.isolation.lasts() && p.Doc != nil && len(p.Doc.Events) > 0 && !since.IsZero() {
		since = p.Doc.Events[0].Time
	}
	if since.IsZero() {
		return nil
	}
	return p.unseenLook().Shadowing(s, since)
}

// Artefacts returns notes on the files in the tree that only tools write. Each kind is reported
// once in a run.
func (p *Place) Artefacts() (notes []string) {
	if p.sighted == nil {
		return nil
	}
	return unseen.Artefacts(p.sighted, p.Once)
}
