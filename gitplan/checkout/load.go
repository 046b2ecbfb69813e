package checkout

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
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
			return c.detached(ctx)
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

// detached is the error for a HEAD that is on no branch. What comes next is the branch with a plan
// whose tip it is, if there is one.
func (c *Checkout) detached(ctx context.Context) error {
	f := &fault.Fault{Kind: fault.ErrDetached, Text: "HEAD is detached, so there is no branch that could have a plan"}
	head, err := c.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return f
	}
	for _, branch := range slices.Sorted(maps.Keys(c.Attached())) {
		if tip, err := c.Repo.Resolve(ctx, "refs/heads/"+branch); err == nil && tip == head {
			f.Next = "git switch " + visible.Shell(branch)
			break
		}
	}
	return f
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

// On has plans read as a branch has them, which no work tree needs to have checked out. What is looked
// at, and not done, is the same then.
func (c *Checkout) On(branch string) { c.Branch, c.rev = branch, "refs/heads/"+branch }
