package panel

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Target is what one round judges: the branch as it was when the round froze it.
type Target struct {
	Branch     string
	Base, Head string // commits, full names; Base is the merge base
	Round      int    // from 1
	Nonce      string // must come back in every answer of this round
	Dir        string // a throwaway clone at Head; empty if none is shared

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

	Repo    *git.Repo
	fresh   map[string]string // what a clone of one's own had before; see fingerprints
	onEvent func(agent.Event) // of the session that fills the provider's cache for the others
}

// File reads an ordinary file of Head; false without one.
func (t *Target) File(ctx context.Context, p string) ([]byte, bool) {
	if t.Repo == nil || !finding.InRepository(p) {
		return nil, false
	}
	return rules.FilesOf(ctx, t.Repo, t.Head)(p)
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

// ApplyRules returns the report of the built-in rules on the whole change: what they do not find again is gone.
func ApplyRules(ctx context.Context, t *Target) Report {
	r := Report{Reviewer: finding.RulesName, Required: true}
	hits, err := t.rules(ctx)
	if err != nil {
		r.Incomplete = finding.Line("the difference could not be read: "+err.Error(), finding.MaxTitle)
		return r
	}
	var lost []rules.Hit
	if t.Repo != nil {
		lost, err = rules.NewHistory(t.Repo).Secrets(ctx, t.Commits, hits)
	}
	if err != nil {
		r.Incomplete = finding.Line("the commits could not be read: "+err.Error(), finding.MaxTitle)
		return r
	}
	for _, h := range slices.Concat(hits, lost, t.stepsInBase()) {
		f := finding.FromHit(h)
		f.Round = t.Round
		r.Findings = append(r.Findings, f)
	}
	t.Code(ctx).Anchor(r.Findings)
	r.Covered = paths(t.Diff)
	return r
}

// stepsInBase finds steps whose commits the base has, which are not judged.
func (t *Target) stepsInBase() []rules.Hit {
	if t.Plan == nil || t.Progress == nil {
		return nil
	}
	var steps []string
	for i := range t.Plan.Steps {
		id := t.Plan.Steps[i].ID
		st := t.Progress.Steps[id] // its commit is one since the plan's start
		judged := slices.ContainsFunc(t.Commits, func(c git.Commit) bool { return c.OID == st.Commit })
		if st.State == progress.StateDone && st.Commit != journal.None && !judged {
			steps = append(steps, id)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	key := strings.Join(steps, ", ")
	return []rules.Hit{{
		Rule: "step-in-base", Category: "plan", Severity: "medium", Key: key, Ask: true, NonBlocking: true,
		Title: "the base has these steps already, so they are not judged: " + key,
		Why:   "A review judges what the base has not. If they were not merged, put the base back and review again.",
	}}
}

func (t *Target) rules(ctx context.Context) ([]rules.Hit, error) {
	c := rules.Change{Diff: t.Diff, Commits: t.Commits, Plan: RulesPlan(t.Plan)}
	if t.Repo == nil {
		return rules.Find(c, rules.Review()), nil
	}
	c.Checks = ChecksOf(t.Plan)
	return rules.FindIn(ctx, t.Repo, t.Base, t.Head, c, rules.Review())
}

// RulesPlan returns what the rules know of a plan.
func RulesPlan(p *plan.Plan) *rules.Plan {
	if p == nil {
		return nil
	}
	known := &rules.Plan{}
	for i := range p.Steps {
		s := &p.Steps[i]
		known.Steps = append(known.Steps, rules.Step{Files: s.Files, Deletes: s.Action == "delete"})
	}
	return known
}

// ChecksOf returns the commands of all steps of a plan: another session may be judged by what this one alters.
func ChecksOf(p *plan.Plan) []string {
	if p == nil {
		return nil
	}
	out := plan.Commands(p.Checks, p.Verification)
	for i := range p.Steps {
		out = append(out, plan.Commands(p.Steps[i].Checks)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
