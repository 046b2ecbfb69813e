package checkout

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// LockText waits until no session works from the plan's text, reads the plan again, and
// keeps sessions from starting until release is called. It calls waiting, which may be nil,
// if it has to wait.
func (c *Checkout) LockText(ctx context.Context, waiting func()) (release func(), err error) {
	text, err := journal.WaitText(ctx, c.Repo, c.Doc.ID, waiting)
	if err != nil {
		return nil, err
	}
	if err := c.Reload(ctx); err != nil {
		return nil, errors.Join(err, text.Close())
	}
	return func() { _ = text.Close() }, nil
}

// Reload reads the plan again if somebody else wrote to it. ErrPlanGone if it was dropped.
func (c *Checkout) Reload(ctx context.Context) error {
	now, err := c.Repo.Resolve(ctx, journal.RefPrefix+c.Doc.ID)
	if errors.Is(err, git.ErrMissing) {
		return fault.New(fault.ErrPlanGone, "plan %s was dropped meanwhile", c.Doc.ID)
	}
	if err != nil || now == c.Doc.Tip {
		return err
	}
	doc, err := c.Store.Newer(ctx, c.Doc)
	if err != nil {
		return err
	}
	doc.Renamed = c.Doc.Renamed
	*c.Doc = *doc
	return c.Derive(ctx)
}

// Idle refuses (ErrBusy) while another git plan works in this work tree on the plan of its
// branch: a new plan for the branch would look like something that the session did.
func (c *Checkout) Idle(ctx context.Context) error {
	id, ok := c.PlanID(ctx)
	if !ok {
		return nil
	}
	h, busy := journal.Working(c.Repo, id)
	if !busy || h.PID == os.Getpid() || h.GitDir != c.Repo.GitDir {
		return nil
	}
	return h.Busy()
}

// AloneHere refuses (ErrBusy) while another review without a plan works in this work tree,
// for a branch that was left since: its fixer's note and clone would be taken for those of
// this review.
func (c *Checkout) AloneHere() error {
	entries, _ := os.ReadDir(c.Repo.PlanDir())
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), setup.ReviewLockPrefix) {
			continue
		}
		if h, busy := journal.Working(c.Repo, e.Name()); busy && h.PID != os.Getpid() && h.GitDir == c.Repo.GitDir {
			return fault.New(fault.ErrBusy, "%s works in this work tree, for another branch", h.Name())
		}
	}
	return nil
}
