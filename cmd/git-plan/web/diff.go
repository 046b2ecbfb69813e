package web

import (
	"context"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Diff is what a commit changed.
type Diff struct {
	Plan  *plan.Plan
	Step  views.Step
	Files []DiffFile
	Cut   bool // there is more of it
}

type DiffFile struct {
	Is             git.FileDiff
	Added, Removed int // lines, of those that are shown
}

// diffOf returns at most so many lines of what a commit changed in its first parent, and how many they are.
func diffOf(ctx context.Context, co *checkout.Checkout, commit string, most int) (*Diff, int, error) {
	c, err := co.Repo.ReadCommit(ctx, commit)
	if err != nil {
		return nil, 0, err
	}
	all, err := checkout.AttemptDiff(ctx, co.Repo, c)
	if err != nil {
		return nil, 0, err
	}
	d, lines := &Diff{}, 0
	for _, f := range all.Files {
		out := DiffFile{Is: f}
		for i := range f.Hunks {
			h := &f.Hunks[i]
			if room := most - lines; len(h.Lines) > room {
				h.Lines, d.Cut = h.Lines[:room], true
			}
			lines += len(h.Lines)
			for _, l := range h.Lines {
				switch l.Kind {
				case '+':
					out.Added++
				case '-':
					out.Removed++
				}
			}
		}
		d.Cut = d.Cut || f.Cut
		d.Files = append(d.Files, out)
	}
	return d, lines, nil
}
