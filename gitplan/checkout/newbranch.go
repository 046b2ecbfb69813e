package checkout

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// freeBranch returns ErrBranchName if no branch of a name can be made.
func (c *Checkout) freeBranch(ctx context.Context, name string) error {
	if !utf8.ValidString(name) || !c.Repo.ValidBranch(ctx, name) {
		return fault.New(fault.ErrBranchName, "%q is not a name for a branch", name)
	}
	_, err := c.Repo.Resolve(ctx, "refs/heads/"+name)
	switch {
	case err == nil:
		return fault.New(fault.ErrBranchName, "branch %s already exists", visible.OneLine(name, 200))
	case errors.Is(err, git.ErrMissing):
		return nil
	}
	return err
}

// NewBranch makes a branch at HEAD and switches to it. ErrBranchName if it exists, or if the
// name is not valid for a branch.
func (c *Checkout) NewBranch(ctx context.Context, name string) error {
	if err := c.freeBranch(ctx, name); err != nil {
		return err
	}
	if err := c.Repo.Run(ctx, git.Command{
		Args: []string{"switch", "--quiet", "--create", name}, Localised: true, Hooks: true,
		Env: []string{proc.EnvDepth + "=1"}, // our own hooks have nothing to add
	}); err != nil {
		return err
	}
	c.Branch = name
	return nil
}

// settable returns an error if a lock file keeps the configuration from being written. It is
// asked before a branch is made, not between that and its plan.
func (c *Checkout) settable() error { return journal.FreeOfLocks(c.Repo, time.Time{}, "config") }

// unmake removes a plan that could not be attached (d may be nil), and the branch that was
// made for it at the commit start ("" if unborn), and goes back to the branch from.
func (c *Checkout) unmake(ctx context.Context, d *journal.Document, from, start string) (err error) {
	ctx = context.WithoutCancel(ctx)
	if d != nil && d.Tip != "" {
		journal.TipsNote(c.Repo, d.ID).Remove()
		journal.MarkAttached.Clear(c.Repo, d.ID)
		err = c.Repo.DeleteRef(ctx, journal.RefPrefix+d.ID, d.Tip, "plan: could not be attached")
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
