package gitplan

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
)

// What done judges is all of the person's work, so all of it is staged. If done is refused the
// index becomes what it was: what they had staged, and nothing else.

func ownIndexPath(c *checkout.Checkout) string {
	return filepath.Join(c.Repo.GitDir, "plan", "index", c.Doc.ID)
}

// judgeOwn is judge for a person's own work.
func (s *Steps) judgeOwn(ctx context.Context, p *place.Place, t work.Task, left *place.Leftover, out *work.Outcome) error {
	saved := ownIndexPath(s.Checkout)
	if err := worktree.SaveIndex(s.Repo, saved); err != nil {
		return err
	}
	err := s.Attempt(p, t, prompt.Attempt{N: 1}, out).Of(s.Watch(s.Scene())).Judge(ctx, left)
	if head, _ := s.Repo.Resolve(context.WithoutCancel(ctx), "HEAD^{commit}"); head == p.Before.Head {
		err = errors.Join(err, worktree.LoadIndex(s.Repo, saved))
	}
	_ = os.Remove(saved)
	return err
}
