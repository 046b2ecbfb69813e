package gitplan

import (
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Drift lists the files of a change that a step's Files do not name.
type Drift func(d *diffs.Diff, files []string) []string

// Aside is what was kept of a work tree and is not put back for the next session: a person may have
// changed these files while a session worked, or after git plan was killed.
type Aside struct {
	Ref   string // of the kept attempt
	Files []string
}

// asideOf lists the files of a kept attempt that are not put back for the next session.
func (drift Drift) asideOf(ctx context.Context, r *git.Repo, kept git.Commit, step *plan.Step) ([]string, error) {
	if drift == nil || len(step.Files) == 0 || !attempts.Killed(kept) {
		return nil, nil
	}
	return drift.perhapsOfAPerson(ctx, r, kept, step)
}

// PutAside lists what was put aside, unless it is in the tree again or a commit has changed it since.
// Of the same change in two attempts it lists the last.
func PutAside(ctx context.Context, c *checkout.Checkout, drift Drift) (out []Aside) {
	listed := map[string]bool{}
	for _, e := range slices.Backward(c.Doc.Events) {
		if e.Kind != journal.Failed {
			continue
		}
		ref, named := attempts.NamedToRestore(c, e.Reason)
		if !named && e.Stopped {
			ref = e.Kept
		}
		if ref == "" {
			continue
		}
		step, ok := c.Doc.Plan.Step(e.Step())
		if !ok {
			continue
		}
		kept, err := c.Repo.ReadCommit(ctx, ref)
		if err != nil {
			continue // pruned
		}
		files, err := drift.asideOf(ctx, c.Repo, kept, step)
		if named {
			files, err = drift.perhapsOfAPerson(ctx, c.Repo, kept, step)
		}
		files = slices.DeleteFunc(files, func(path string) bool {
			oid, _ := c.Repo.Resolve(ctx, kept.Tree+":"+path) // "" if it was deleted
			again := listed[path+":"+oid]
			listed[path+":"+oid] = true
			return again || isThere(ctx, c.Repo, kept, path) || committedSince(ctx, c.Repo, kept, path)
		})
		if err == nil && len(files) > 0 {
			out = append(out, Aside{Ref: ref, Files: files})
		}
	}
	slices.Reverse(out)
	return out
}

// perhapsOfAPerson lists what a kept attempt has that its step does not name; all, if it names nothing.
func (drift Drift) perhapsOfAPerson(ctx context.Context, r *git.Repo, kept git.Commit, step *plan.Step) (files []string, err error) {
	change, err := attempts.Changed(ctx, r, kept)
	switch {
	case err != nil:
		return nil, err
	case drift != nil && len(step.Files) > 0:
		return drift(change, step.Files), nil
	}
	for _, f := range change.Files {
		files = append(files, f.Path)
	}
	return files, nil
}

// isThere reports whether a file in the work tree is the same as in a kept attempt.
func isThere(ctx context.Context, r *git.Repo, kept git.Commit, path string) bool {
	if _, err := r.Resolve(ctx, kept.Tree+":"+path); err != nil {
		return worktree.RawFileOf(r, path).Time.IsZero()
	}
	return worktree.HoldsRaw(ctx, r, kept.Tree, path)
}

// committedSince reports whether HEAD has another version of a file than a kept attempt began with.
func committedSince(ctx context.Context, r *git.Repo, kept git.Commit, path string) bool {
	if len(kept.Parents) == 0 {
		return false
	}
	was, _ := r.Resolve(ctx, kept.Parents[0]+":"+path) // "" if it has none
	is, _ := r.Resolve(ctx, "HEAD:"+path)
	return was != is
}

// LeftInTree lists what a session whose git plan was killed left in the work tree, with what was
// changed there since. The next step keeps it.
func LeftInTree(ctx context.Context, c *checkout.Checkout) []string {
	note := c.Noted()
	if note.Name == "" || note.Session == "" || note.Apart() || note.OfOtherTree(c.Repo.Top) || note.Branch != c.Branch {
		return nil
	}
	s, err := worktree.ReadStatus(ctx, c.Repo)
	if err != nil {
		return nil
	}
	added := slices.DeleteFunc(slices.Clone(s.Untracked), note.Has)
	return append(s.Paths(), added...)
}
