package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
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

// Attempts lists the kept attempts of the branch's plan, of one step or, with
// an empty name, of all, oldest first.
func (c *Checkout) Attempts(ctx context.Context, step string) ([]Kept, error) {
	prefix := attemptPrefix + c.Doc.ID + "/"
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
			if k.Reason = firstLine(body); !strings.HasPrefix(commits[i].Subject(), keptSubject) {
				k.Reason = "undone: " + commits[i].Subject() // a step's own commit
			}
		}
		out = append(out, k)
	}
	slices.SortStableFunc(out, func(a, b Kept) int { return a.Time.Compare(b.Time) })
	return out, nil
}

// AttemptNames are the names of the kept attempts of the branch's plan, which
// need not be read for it.
func (c *Checkout) AttemptNames(ctx context.Context) ([]string, error) {
	id, ok := c.PlanID()
	if !ok {
		return nil, nil
	}
	refs, err := c.Repo.Refs(ctx, attemptPrefix+id+"/")
	var out []string
	for _, r := range refs {
		out = append(out, strings.TrimPrefix(r.Name, attemptPrefix+id+"/"))
	}
	return out, err
}

// Attempt finds a kept attempt by "<step>/<n>" or by its ref.
func (c *Checkout) Attempt(ctx context.Context, name string) (Kept, error) {
	all, err := c.Attempts(ctx, "")
	if err != nil {
		return Kept{}, err
	}
	for _, k := range all {
		if k.Name == name || k.Ref == name {
			return k, nil
		}
	}
	return Kept{}, fault(ErrUnknownAttempt, "there is no kept attempt %s", oneLine(name, 100))
}

// RestoreAttempt puts what an attempt had changed into the work tree, which
// must be clean. Nothing is committed.
func (w *Worker) RestoreAttempt(ctx context.Context, k Kept) error {
	if err := w.Ready(ctx); err != nil {
		return err
	}
	commit, err := w.Repo.ReadCommit(ctx, k.Commit)
	if err != nil {
		return err
	}
	err = w.Repo.Apply(ctx, commit, w.before.Head)
	if errors.Is(err, git.ErrConflict) {
		return fmt.Errorf("attempt %s conflicts with what the branch has now", k.Name)
	}
	return err
}

// PruneAttempts removes the kept attempts of the plan that are older than age,
// and returns them; their commits are then only found by their names.
func (c *Checkout) PruneAttempts(ctx context.Context, age time.Duration) ([]Kept, error) {
	all, err := c.Attempts(ctx, "")
	if err != nil {
		return nil, err
	}
	var gone []Kept
	for _, k := range all {
		if time.Since(k.Time) < age {
			continue
		}
		if err := c.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: pruned"); err != nil {
			return gone, err
		}
		gone = append(gone, k)
	}
	return gone, nil
}
