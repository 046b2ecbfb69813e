package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// disown takes the person's untracked files out of the index if a session has added or committed
// them: they are never committed.
func (p *Place) disown(ctx context.Context, s *worktree.Status) (*worktree.Status, error) {
	var own []string
	for _, c := range s.Changed {
		if p.own.Has(c.Path) && c.XY[0] == 'A' {
			own = append(own, c.Path)
		}
	}
	if len(own) == 0 {
		return s, nil
	}
	if err := worktree.Unstage(ctx, p.Tree(), own); err != nil {
		return nil, err
	}
	return p.look(ctx)
}

// restore puts the tree back to where the task began. If a session had committed a file of the
// person's, resetting that commit removes it, so it is put back too.
func (p *Place) restore(ctx context.Context, added []string) error {
	if !p.isolation.lasts() {
		return nil
	}
	if err := worktree.Restore(ctx, p.Tree(), p.Before.Head, added); err != nil {
		return err
	}
	p.theirs().BringBack(ctx)
	return nil
}
