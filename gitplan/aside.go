package gitplan

import (
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Drift lists the files of a change that a step's Files do not name.
type Drift func(d *diffs.Diff, files []string) []string

// Aside is what was kept after git plan was killed, and is not put back for the next session: the step does
// not name these files, so a person may have changed them since.
type Aside struct {
	Ref   string // of the kept attempt
	Files []string
}

// asideOf lists the files of a kept attempt that are not put back for the next session.
func (drift Drift) asideOf(ctx context.Context, r *git.Repo, kept git.Commit, step *plan.Step) ([]string, error) {
	if drift == nil || len(step.Files) == 0 || !site.Killed(kept) {
		return nil, nil
	}
	change, err := place.Changed(ctx, r, kept)
	if err != nil {
		return nil, err
	}
	return drift(change, step.Files), nil
}

// PutAside lists what was put aside and has not been put back.
func PutAside(ctx context.Context, c *checkout.Checkout, drift Drift) (out []Aside) {
	for _, e := range c.Doc.Events {
		step, ok := c.Doc.Plan.Step(e.Step())
		if !ok || e.Kind != journal.Failed || !e.Stopped || e.Kept == "" {
			continue
		}
		kept, err := c.Repo.ReadCommit(ctx, e.Kept)
		if err != nil {
			continue // pruned
		}
		files, err := drift.asideOf(ctx, c.Repo, kept, step)
		files = slices.DeleteFunc(files, func(path string) bool { return isThere(ctx, c.Repo, kept, path) })
		if err == nil && len(files) > 0 {
			out = append(out, Aside{Ref: e.Kept, Files: files})
		}
	}
	return out
}

// isThere reports whether a file in the work tree is the same as in a kept attempt.
func isThere(ctx context.Context, r *git.Repo, kept git.Commit, path string) bool {
	if _, err := r.Resolve(ctx, kept.Tree+":"+path); err != nil {
		return worktree.RawFileOf(r, path).Time.IsZero()
	}
	return worktree.HoldsRaw(ctx, r, kept.Tree, path)
}

// LeftInTree lists what a session whose git plan was killed left in the work tree, with what was
// changed there since. The next step keeps it.
func LeftInTree(ctx context.Context, c *checkout.Checkout) []string {
	note := c.Noted()
	if note.Name == "" || note.Session == "" || note.Apart() || note.Elsewhere(c.Repo.Top) || note.Branch != c.Branch {
		return nil
	}
	s, err := worktree.ReadStatus(ctx, c.Repo)
	if err != nil {
		return nil
	}
	added := slices.DeleteFunc(slices.Clone(s.Untracked), note.Has)
	return append(s.Paths(), added...)
}
