package checkout

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// adopt finds the plan of a branch that has no key for one, as in a fresh clone after git
// plan fetch: a plan that names this branch, and whose work is on it. Any other plan that
// names it belongs to an earlier branch, and is only mentioned in the error.
func (c *Checkout) adopt(ctx context.Context) error {
	plans, err := ListPlans(ctx, c.Store)
	if err != nil {
		return err
	}
	none := c.noPlan(ctx, plans)
	for _, p := range plans {
		if !strings.HasPrefix(p.Subject, c.Branch+" ") {
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
		if ours, err := c.continues(ctx, doc); err != nil {
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

// noPlan returns the error that the branch has no plan, which lists the branches that have
// one. If somebody pushed the branch, its plan may have been pushed too.
func (c *Checkout) noPlan(ctx context.Context, plans []Listed) error {
	const most = 3
	text, gone := fmt.Sprintf("branch %s has no plan", visible.OneLine(c.Branch, 200)), ""
	if id, ok := c.Bound(); ok {
		gone = fmt.Sprintf(" (%s, which it had, is gone)", visible.OneLine(id, 80))
	}
	if merge, _ := c.Config.Get("branch." + c.Branch + ".merge"); merge == "refs/heads/"+c.Branch {
		if base, err := c.Base(ctx, ""); err != nil || !c.OnBase(base) {
			return fault.New(fault.ErrPlanPushed, "%s here%s", text, gone)
		}
	}
	others := slices.Sorted(maps.Keys(c.withPlans(ctx, plans)))
	if open := slices.DeleteFunc(slices.Clone(plans), func(p Listed) bool { return p.State == string(progress.StateDone) }); len(others) == 0 && len(open) > 0 {
		return unattached(text+gone, open)
	}
	if len(others) == 0 {
		return fault.New(fault.ErrNoPlan, "%s%s", text, gone)
	}
	first := "git switch " + visible.Shell(others[0])
	for i, name := range others[:min(len(others), most)] {
		others[i] = visible.OneLine(name, 200)
	}
	if more := len(others) - most; more > 0 {
		others = append(others[:most], fmt.Sprintf("%d more", more))
	}
	return &fault.Fault{Kind: fault.ErrOtherBranches, Text: fmt.Sprintf("%s%s; these have: %s", text, gone, strings.Join(others, ", ")), Next: first}
}

// unattached is the error for a branch without a plan if there are plans without a branch.
func unattached(text string, plans []Listed) error {
	const most = 3
	var ids []string
	for _, p := range plans[:min(len(plans), most)] {
		ids = append(ids, p.ID)
	}
	if more := len(plans) - most; more > 0 {
		ids = append(ids, fmt.Sprintf("%d more", more))
	}
	return &fault.Fault{Kind: fault.ErrPlanUnattached, Text: fmt.Sprintf("%s; no branch has %s", text, strings.Join(ids, ", ")), Next: "git plan attach " + plans[0].ID}
}

// withPlans returns the ids of plans by branch: of the branches of this clone, and of those
// that a remote has and git switch would make, as after git plan fetch.
func (c *Checkout) withPlans(ctx context.Context, plans []Listed) map[string]string {
	out := c.Attached()
	maps.DeleteFunc(out, func(_, id string) bool { // gone
		return !slices.ContainsFunc(plans, func(p Listed) bool { return p.ID == id })
	})
	ids := slices.Collect(maps.Values(out))
	plans = slices.DeleteFunc(slices.Clone(plans), func(p Listed) bool { return slices.Contains(ids, p.ID) })
	if len(plans) == 0 {
		return out
	}
	remotes := c.AtRemotes(ctx)
	for _, p := range plans {
		if _, ok := remotes[p.Branch]; ok && p.Branch != c.Branch {
			out[p.Branch] = p.ID
		}
	}
	return out
}

// continues reports whether the plan belongs to this branch, which has the commit of the last step that
// was done, or is where the plan began if none was. A plan of which all is done and merged is an earlier
// branch's: every new branch has its commits.
func (c *Checkout) continues(ctx context.Context, d *journal.Document) (bool, error) {
	head, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return false, err
	}
	undone := progress.Undone(d.Events)
	for _, e := range slices.Backward(d.Events) {
		if _, back := undone[e.Step()]; back || e.Kind != journal.Done || e.Head == "" || e.Head == journal.None {
			continue
		}
		commit := e.Head
		if st := c.Progress.Steps[e.Step()]; st.State == progress.StateDone {
			commit = st.Commit // a rebase gave it another name
		}
		here, err := has(ctx, c, head, commit)
		if !here || err != nil || !c.Progress.Complete() {
			return here, err
		}
		base, err := c.Base(ctx, d.Plan.Base)
		if err != nil || base == "" || c.OnBase(base) {
			return true, nil
		}
		merged, err := has(ctx, c, base, commit)
		return !merged, err
	}
	return !c.Progress.Complete() && journal.OrNone(head) == d.Start(), nil
}

// has reports whether a commit is an ancestor of another; none that this clone lacks is.
func has(ctx context.Context, c *Checkout, tip, commit string) (bool, error) {
	if _, err := c.Repo.Resolve(ctx, commit+"^{commit}"); err != nil || tip == "" {
		return false, nil
	}
	return c.Repo.IsAncestor(ctx, commit, tip)
}
