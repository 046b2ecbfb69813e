package checkout

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// Load reads the branch's plan and derives what is done. ErrNoPlan if it has none,
// ErrDetached if there is no branch, ErrCopied if the plan is another branch's.
func (c *Checkout) Load(ctx context.Context) error {
	id, ok := c.PlanID(ctx)
	if !ok {
		if err := c.UnderWay(); c.Branch == "" && err != nil {
			return err
		}
		if c.Branch == "" {
			return fault.New(fault.ErrDetached, "HEAD is detached, so there is no branch that could have a plan")
		}
		return c.adopt(ctx)
	}
	doc, err := c.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	if err := c.claim(ctx, doc); err != nil {
		return err
	}
	c.Doc = doc
	return c.Derive(ctx)
}

// LoadFor reads the plan of an id, whatever the branch. Without an id it reads the plan of
// the branch; during a bisect, of the branch on which that began.
func (c *Checkout) LoadFor(ctx context.Context, id string) error {
	if id == "" && c.Branch == "" {
		if began, err := os.ReadFile(filepath.Join(c.Repo.GitDir, "BISECT_START")); err == nil {
			c.Branch = strings.TrimPrefix(strings.TrimSpace(string(began)), "refs/heads/")
		}
	}
	if id == "" {
		return c.Load(ctx)
	}
	doc, err := c.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	c.Doc = doc
	return c.Derive(ctx)
}
