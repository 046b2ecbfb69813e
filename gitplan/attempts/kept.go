package attempts

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Kept is one attempt that was kept: what a session left that was not
// committed on the branch.
type Kept struct {
	Name   string // "<step>/<n>", as commands take it
	Ref    string
	Commit string
	Time   time.Time
	Reason string
}

// All lists the kept attempts of the branch's plan, of one step or, with
// an empty name, of all, by step and number.
func All(ctx context.Context, c *checkout.Checkout, step string) ([]Kept, error) {
	prefix := journal.AttemptPrefix + Owner(c) + "/"
	refs, err := c.Repo.Refs(ctx, prefix+step)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	var out []Kept
	args := []string{"--no-walk=unsorted"}
	for _, r := range refs {
		args = append(args, r.OID)
	}
	commits, err := c.Repo.Log(ctx, args...)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		k := Kept{Name: strings.TrimPrefix(r.Name, prefix), Ref: r.Name, Commit: r.OID}
		if i := slices.IndexFunc(commits, func(c git.Commit) bool { return c.OID == r.OID }); i >= 0 {
			k.Time, _ = time.Parse(time.RFC3339, commits[i].Time)
			_, body, _ := strings.Cut(commits[i].Message, "\n\n")
			if k.Reason = visible.FirstLine(body); !strings.HasPrefix(commits[i].Subject(), Subject) {
				k.Reason = "undone: " + commits[i].Subject() // a step's own commit
			}
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Kept) int {
		step, n := parseAttempt(a.Name)
		other, m := parseAttempt(b.Name)
		return cmp.Or(strings.Compare(step, other), n-m)
	})
	return out, nil
}

// Names returns the names of the kept attempts of the branch's plan, without reading them.
func Names(ctx context.Context, c *checkout.Checkout) ([]string, error) {
	id, ok := c.PlanID(ctx)
	if !ok {
		return nil, nil
	}
	refs, err := c.Repo.Refs(ctx, journal.AttemptPrefix+id+"/")
	var out []string
	for _, r := range refs {
		out = append(out, strings.TrimPrefix(r.Name, journal.AttemptPrefix+id+"/"))
	}
	return out, err
}

// Find finds a kept attempt by "<step>/<n>" or by its ref.
func Find(ctx context.Context, c *checkout.Checkout, name string) (Kept, error) {
	all, err := All(ctx, c, "")
	if err != nil {
		return Kept{}, err
	}
	for _, k := range all {
		if k.Name == name || k.Ref == name {
			return k, nil
		}
	}
	return Kept{}, fault.New(fault.ErrUnknownAttempt, "there is no kept attempt %s", visible.OneLine(name, 100))
}

// Prune removes the kept attempts of the plan that are older than age, and returns them;
// after that their commits can only be found by their own names.
func Prune(ctx context.Context, c *checkout.Checkout, age time.Duration) ([]Kept, error) {
	all, err := All(ctx, c, "")
	if err != nil {
		return nil, err
	}
	gone := slices.DeleteFunc(all, func(k Kept) bool { return time.Since(k.Time) < age })
	if err := notePruned(c, gone); err != nil {
		return nil, err
	}
	for i, k := range gone {
		if err := c.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: pruned"); err != nil {
			return gone[:i], err
		}
	}
	return gone, nil
}

func notePruned(c *checkout.Checkout, gone []Kept) error {
	highest := prunedAttempts(c.Repo, c.Doc.ID)
	for _, k := range gone {
		task, n := parseAttempt(k.Name)
		highest[task] = max(highest[task], n)
	}
	data, err := json.Marshal(highest)
	if err != nil || len(gone) == 0 {
		return err
	}
	return journal.WriteFile(prunedPath(c.Repo, c.Doc.ID), data)
}
