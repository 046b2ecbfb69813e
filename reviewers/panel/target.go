package panel

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Target is what one round judges: the branch as it was when the round froze it.
type Target struct {
	Branch     string
	Base, Head string // commits, full names; Base is the merge base
	Round      int    // from 1
	Nonce      string // must come back in every answer of this round
	Dir        string // a throwaway clone at Head; empty if nobody shares one

	Plan       *plan.Plan // nil without a plan
	Progress   *progress.Progress
	PlanID     string
	Guidelines string       // the repository's own instructions, from the base
	Commits    []git.Commit // Base..Head, newest first

	// Diff is the whole change; Judge is what this round looks at: after the first, what the fixer changed.
	Diff, Judge *git.Diff

	Open, Dismissed []finding.Finding // of earlier rounds
	Fixes           []git.Commit      // written by the fixer, newest first
	Fixed           *git.Diff         // what they changed; nil in the first round

	// Attributes are the git attributes of the changed files that say what kind they are, as the base sets them.
	Attributes map[string]map[string]string

	// Secret has the paths in which a secret was found: no model sees them.
	Secret map[string]bool

	Repo  *git.Repo
	fresh map[string]string // what a clone of one's own had before; see fingerprints
	heard func(agent.Event) // hears of the session that fills the provider's cache for the others
}

// File reads an ordinary file of Head; false without one.
func (t *Target) File(ctx context.Context, p string) ([]byte, bool) {
	if t.Repo == nil || !finding.InRepository(p) {
		return nil, false
	}
	o, err := t.Repo.Read(ctx, t.Head+":"+p)
	return o.Data, err == nil && o.Type == "blob"
}

// Code returns what findings are about.
func (t *Target) Code(ctx context.Context) finding.Code {
	return finding.Code{Diff: t.Diff, File: func(path string) ([]byte, bool) { return t.File(ctx, path) }}
}

// ReadAttributes reads what the base says of the kinds of the changed files.
func (t *Target) ReadAttributes(ctx context.Context) (err error) {
	var all []string
	for _, d := range []*git.Diff{t.Diff, t.Judge} {
		all = append(all, paths(d)...)
	}
	t.Attributes, err = worktree.Attributes(ctx, t.Repo, t.Base, []string{"linguist-generated", "linguist-vendored"}, all)
	return err
}
