package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// ParseRewrite reads git's lines for post-rewrite: <old oid> SP <new oid> [ SP <more> ] LF.
func ParseRewrite(stdin io.Reader) ([]journal.Replaced, error) {
	data, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("standard input of post-rewrite: %w", err)
	}
	var out []journal.Replaced
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) < 2 {
			return nil, fmt.Errorf("%q is not a line that git writes for post-rewrite: <old oid> <new oid>", line)
		}
		out = append(out, journal.Replaced{Old: words[0], New: words[1]})
	}
	if len(out) == 0 { // git runs the hook only after it has replaced commits
		return nil, errors.New("git's lines are missing, so steps may count as open again (git plan status): another hook read its standard input before; have that one pass it on (gitplan-hooks(7))")
	}
	return out, nil
}

// PostRewrite records replaced commits in the plan of the branch, and in plans that the old commits name, since git
// rebase --update-refs moves other branches. by is amend or rebase. The returned lines are for the person.
func PostRewrite(ctx context.Context, c *checkout.Checkout, by string, all []journal.Replaced) ([]string, error) {
	branch, tip := checkout.Rebased(c.Repo)
	branch = cmp.Or(branch, c.Branch)
	if len(all) == 0 || by == "amend" && tip != "" {
		return nil, nil // an amend during a rebase, which reports all commits at its end
	}
	tip = cmp.Or(tip, all[len(all)-1].Old)
	plans := c.Attached()
	own := plans[branch]
	named := map[string]bool{}
	for _, r := range all {
		commit, _ := c.Repo.ReadCommit(ctx, r.Old) // empty if the commit is gone
		for _, step := range journal.NamedSteps(commit.Message) {
			id, _, _ := strings.Cut(step, "/")
			named[id] = true
		}
	}
	var lines []string
	var failed error // an error of one plan does not keep the others from being updated
	for _, branch := range slices.Sorted(maps.Keys(plans)) {
		id := plans[branch]
		if id != own && !named[id] {
			continue
		}
		doc, err := c.Store.Load(ctx, id)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if of := doc.Plan.Branch; of != "" && of != branch && plans[of] == id {
			continue // a copy of the plan's branch
		}
		var steps []string
		lock, err := journal.Acquire(c.Repo, id, "hook post-rewrite") // a session at work is not the author
		if err == nil {
			steps, err = progress.Rewritten(ctx, c.Store, doc, branch, tip, all)
			lock.Release()
		}
		failed = errors.Join(failed, err)
		if len(steps) > 0 {
			lines = append(lines, fmt.Sprintf("plan %s knows the new commits of %s", id, strings.Join(steps, ", ")))
		}
	}
	return lines, failed
}

// PostCheckout returns a line about the plan of the branch, or about a plan whose branch was deleted; "" without one.
// It clears the marks of plans without a branch.
func PostCheckout(ctx context.Context, c *checkout.Checkout) (string, error) {
	if _, ok := c.PlanID(ctx); ok {
		if err := c.Load(ctx); err != nil {
			return "", err
		}
		p := c.Progress
		if p.Complete() {
			return fmt.Sprintf("plan %s: %s", c.Doc.ID, p.AllDone()), nil
		}
		return fmt.Sprintf("plan %s: %s; see: git plan status", c.Doc.ID, p.Summary()), nil
	}
	attached := slices.Collect(maps.Values(c.Attached()))
	for _, id := range journal.MarkAttached.Plans(c.Repo) {
		if slices.Contains(attached, id) {
			continue
		}
		journal.MarkAttached.Clear(c.Repo, id)
		doc, err := c.Store.Load(ctx, id)
		if errors.Is(err, fault.ErrPlanGone) {
			continue
		}
		if err != nil {
			return "", err
		}
		done, total := journal.Boxes(doc.Plan)
		if _, err := c.Repo.Resolve(ctx, "refs/heads/"+doc.Plan.Branch); errors.Is(err, git.ErrMissing) && done < total {
			attach := "git plan attach " + id
			if c.Branch == "" || c.RequireOwnPlan(ctx, doc) != nil { // attach would refuse
				attach = "git switch -c BRANCH, then " + attach
			}
			return fmt.Sprintf("plan %s of the deleted branch %s is left: %s, or git plan drop %s", id,
				printable(doc.Plan.Branch), attach, id), nil
		}
	}
	return "", nil
}
