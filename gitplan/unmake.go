package gitplan

import (
	"context"
	"errors"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Settable says which lock file is in the way of a branch, or of what is configured of it:
// better before a branch is made than between that and its plan.
func (c *Checkout) Settable() error { return freeOfLocks(c.Repo, time.Time{}, "config") }

// Unmake takes back a plan that could not be attached, and the branch that was made for it
// at a commit (empty: unborn), as if neither had been.
func (c *Checkout) Unmake(ctx context.Context, d *Document, from, start string) (err error) {
	ctx = context.WithoutCancel(ctx)
	if d != nil && d.Tip != "" {
		tipsNote(c.Repo, d.ID).remove()
		MarkAttached.Clear(c.Repo, d.ID)
		err = c.Repo.DeleteRef(ctx, refPrefix+d.ID, d.Tip, "plan: could not be attached")
	}
	if c.Branch == from {
		return err
	}
	made := "refs/heads/" + c.Branch
	back := c.Repo.Run(ctx, git.Command{Args: []string{"symbolic-ref", "HEAD", "refs/heads/" + from}, Writes: true})
	if back == nil && start != "" {
		back = c.Repo.DeleteRef(ctx, made, start, "plan: could not be attached")
	}
	if back == nil {
		c.Branch = from
	}
	return errors.Join(err, back)
}
