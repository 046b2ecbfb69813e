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
			return detached(ctx, c)
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

// detached is the error for a HEAD that is on no branch. What comes next is the branch with a plan
// whose tip it is, if there is one.
func detached(ctx context.Context, c *Checkout) error {
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
func adopt(ctx context.Context, c *Checkout) error {
	plans, err := ListPlans(ctx, c.Store)
	if err != nil {
		return err
	}
	none := noPlan(ctx, c, plans)
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
		if ours, err := continues(ctx, c, doc); err != nil {
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
func noPlan(ctx context.Context, c *Checkout, plans []Listed) error {
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
	others := slices.Sorted(maps.Keys(withPlans(ctx, c, plans)))
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
func withPlans(ctx context.Context, c *Checkout, plans []Listed) map[string]string {
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

// continues reports whether the plan belongs to this branch, judged by what was done. The
// last step that was done decides (see owns); if none was, what was committed since the plan
// began does.
func continues(ctx context.Context, c *Checkout, d *journal.Document) (bool, error) {
	head, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return false, err
	}
	_, pushed := c.AtRemotes(ctx)[c.Branch]
	undone := map[string]bool{}
	for _, e := range slices.Backward(d.Events) {
		if e.Kind == journal.Undone {
			undone[e.Step()] = true
		}
		if e.Kind != journal.Done || e.Head == "" || e.Head == journal.None {
			continue
		}
		if ours, known, err := owns(ctx, c, d, e, head, pushed); known || err != nil {
			return ours, err
		}
		if !undone[e.Step()] && !(pushed && c.Progress.Steps[e.Step()].Pull != "") {
			return false, nil
		}
	}
	switch since := len(c.Walked); {
	case c.Progress.Complete():
		return false, nil
	case since == 0 || !pushed:
		return journal.OrNone(head) == d.Start(), nil
	default: // a person's own commits
		first := c.Walked[since-1]
		merged, err := inBase(ctx, c, d, first.OID)
		return !merged && slices.Contains(first.Parents, d.Start()), err
	}
}

// owns reports whether a done event makes its plan this branch's: the branch has the commit,
// and no base branch has it if the plan is complete, since a new branch has whatever was
// merged before it was made. known is false if the branch has no such commit, which says
// nothing while git pull would still bring it.
func owns(ctx context.Context, c *Checkout, d *journal.Document, e journal.Event, head string, pushed bool) (ours, known bool, err error) {
	commit, err := held(ctx, c, e, head)
	switch st := c.Progress.Steps[e.Step()]; {
	case err != nil:
		return false, false, err
	case commit == e.Head && !c.Progress.Complete():
		return true, true, nil
	case commit != "":
		merged, err := inBase(ctx, c, d, commit)
		return !merged, true, err
	case st.Pull != "" && pushed:
		merged, err := inBase(ctx, c, d, st.Commit)
		return false, merged, err
	}
	return false, false, nil
}

// held returns the commit of a done event, or the one that a rebase or the like replaced it
// with; "" if the branch has neither.
func held(ctx context.Context, c *Checkout, e journal.Event, head string) (string, error) {
	if _, err := c.Repo.Resolve(ctx, e.Head+"^{commit}"); err == nil && head != "" {
		if ok, err := c.Repo.IsAncestor(ctx, e.Head, head); ok || err != nil {
			return e.Head, err
		}
	}
	if st := c.Progress.Steps[e.Step()]; st.State == progress.StateDone && st.Commit != journal.None {
		return st.Commit, nil
	}
	return "", nil
}

// inBase reports whether a base branch, here or at a remote, has a commit. A base branch is
// the one that the plan names, or one of baseNames.
func inBase(ctx context.Context, c *Checkout, d *journal.Document, commit string) (bool, error) {
	if _, err := c.Repo.Resolve(ctx, commit+"^{commit}"); errors.Is(err, git.ErrMissing) {
		return false, nil // so no branch of this clone has it
	}
	args := []string{"for-each-ref", "--count=1", "--format=%(refname)", "--contains=" + commit}
	refs := len(args)
	for _, name := range append(baseNames(ctx, c), d.Plan.Base) {
		name = strings.TrimPrefix(name, "origin/")
		if name != "" && name != c.Branch && !strings.Contains(name, "\x00") {
			args = append(args, "refs/heads/"+name, "refs/remotes/"+name, "refs/remotes/*/"+name)
		}
	}
	if len(args) == refs {
		return false, nil // without a pattern git means every ref
	}
	out, err := c.Repo.Output(ctx, args...)
	return out != "", err
}
