package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
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
			return fault.New(fault.ErrDetached, "HEAD is detached, so there is no branch that could have a plan")
		}
		return adopt(ctx, c)
	}
	doc, err := c.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	if err := claim(ctx, c, doc); err != nil {
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

// On makes c read plans as a branch has them, which no work tree needs to have checked out. What is
// looked at, and not done, is the same then.
func (c *Checkout) On(branch string) { c.Branch, c.rev = branch, "refs/heads/"+branch }

// adopt attaches a plan to a branch whose configuration names none, as in a fresh clone after git plan
// fetch: the plan that names this branch and continues on it. Any other plan that names the branch
// belongs to an earlier one, and is only mentioned in the error.
func adopt(ctx context.Context, c *Checkout) error {
	plans, err := c.Plans(ctx)
	if err != nil {
		return err
	}
	none := noPlan(ctx, c, plans)
	for _, p := range plans {
		if p.Branch != c.Branch {
			continue
		}
		doc, err := c.Store.Load(ctx, p.ID)
		if err != nil || doc.Plan.Branch != c.Branch {
			continue
		}
		c.Doc = doc
		if err := c.Derive(ctx); err != nil {
			return err
		}
		if ours, err := continues(ctx, c); err != nil {
			return err
		} else if ours {
			return c.Attach(ctx, doc.ID)
		}
		c.Doc, c.Progress = nil, nil
		none = fault.New(fault.ErrPlanOfOld, "branch %s has no plan; plan %s names it, but its work is not on it, or is merged (git plan attach %s takes it, git plan drop %s removes it)",
			visible.OneLine(c.Branch, 200), doc.ID, doc.ID, doc.ID)
	}
	return none
}

// continues reports whether the plan that was loaded goes on on this branch: the branch has the work
// of a step, or nothing is done and the branch is where the plan began. A new branch has whatever was
// merged before it was made, so a complete plan that is merged belongs to an earlier one.
func continues(ctx context.Context, c *Checkout) (bool, error) {
	worked := false
	for _, e := range slices.Backward(c.Doc.Events) {
		if e.Kind != journal.Done || e.Head == "" || e.Head == journal.None {
			continue
		}
		worked = true
		st := c.Progress.Steps[e.Step()]
		switch {
		case st.State != progress.StateDone:
		case !c.Progress.Complete():
			return true, nil
		default:
			merged, err := inBase(ctx, c, st.Commit)
			return !merged, err
		}
	}
	head, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return false, err
	}
	return !worked && !c.Progress.Complete() && journal.OrNone(head) == c.Doc.Start(), nil
}

// inBase reports whether the base branch of the plan has a commit, here or at a remote.
func inBase(ctx context.Context, c *Checkout, commit string) (bool, error) {
	base := strings.TrimPrefix(c.Doc.Plan.Base, "origin/")
	if base == "" || base == c.Branch || strings.Contains(base, "\x00") {
		return false, nil
	}
	out, err := c.Repo.Output(ctx, "for-each-ref", "--count=1", "--contains="+commit, "refs/heads/"+base, "refs/remotes/*/"+base)
	return out != "", err
}

// noPlan returns the error that the branch has no plan. It names the branches that have one, or the
// plans that no branch has; if the branch was pushed, its plan may have been pushed, too.
func noPlan(ctx context.Context, c *Checkout, plans []Listed) error {
	text := "branch " + visible.OneLine(c.Branch, 200) + " has no plan"
	gone := ""
	if id, ok := c.Bound(); ok {
		gone = fmt.Sprintf(" (%s, which it had, is gone)", visible.OneLine(id, 80))
	}
	if merge, _ := c.Config.Get("branch." + c.Branch + ".merge"); merge == "refs/heads/"+c.Branch {
		if base, err := c.Base(ctx, ""); err != nil || !c.OnBase(base) {
			return fault.New(fault.ErrPlanPushed, "%s here%s", text, gone)
		}
	}
	var branches, unattached []string
	for _, p := range plans {
		switch {
		case !p.NoBranch || p.Remote != "":
			branches = append(branches, p.Branch)
		case p.State != string(progress.StateDone):
			unattached = append(unattached, p.ID)
		}
	}
	text += gone
	slices.Sort(branches)
	switch {
	case len(branches) > 0:
		return &fault.Fault{Kind: fault.ErrOtherBranches, Text: text + "; these have: " + visible.Few(branches), Next: "git switch " + visible.Shell(branches[0])}
	case len(unattached) > 0:
		return &fault.Fault{Kind: fault.ErrPlanUnattached, Text: text + "; no branch has " + visible.Few(unattached), Next: "git plan attach " + unattached[0]}
	}
	return fault.New(fault.ErrNoPlan, "%s", text)
}
