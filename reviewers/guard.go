package reviewers

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Guarded is what a guard says of a change: why it must not be committed, and what is
// only reported to the person. Each is one line, with its place.
type Guarded struct {
	Fails   []string
	Reports []string
}

// Guard judges what a session made of one step: a test file deleted, a test
// skipped or emptied, a conflict marker, a secret. A deletion that the step
// asks for is fine. Files outside of the step's are drift, which fails if drift is
// "fail" and is reported otherwise. c.Plan is ignored.
func Guard(c rules.Change, step *plan.Step, drift string) Guarded {
	c.Plan = planOf(step)
	return guarded(rules.Find(c, rules.Guard), c.Diff, step, drift)
}

// planOf makes a deletion count against this step alone.
func planOf(step *plan.Step) *rules.Plan {
	if step == nil {
		return nil
	}
	return panel.RulesPlan(&plan.Plan{Steps: []plan.Step{*step}}, nil)
}

func guarded(hits []rules.Hit, d *diffs.Diff, step *plan.Step, drift string) (g Guarded) {
	for _, h := range hits {
		if finding.Severity(h.Severity).AtLeast(finding.High) {
			g.Fails = append(g.Fails, hitLine(h))
		} else {
			g.Reports = append(g.Reports, hitLine(h))
		}
	}
	if step == nil || len(step.Files) == 0 {
		return g
	}
	for _, p := range rules.Drift(d, step.Files) {
		text := finding.ShowPath(p) + ": the step does not name this file"
		if drift == "fail" {
			g.Fails = append(g.Fails, text)
		} else {
			g.Reports = append(g.Reports, text)
		}
	}
	return g
}

// FixGuard says why a fixer's change must not be committed: it deletes or
// weakens tests, silences a checker, leaves a secret or a conflict, or touches
// the plan, the reviewers or the hooks. It returns nil if the change may be committed.
func FixGuard(c rules.Change) []string {
	c.Plan = nil // no step asks a fixer for a deletion
	return fixGuarded(rules.Find(c, ofFixes), c.Diff)
}

func ofFixes(r rules.Rule) bool {
	return r.Guard || r.Category == "tests" || r.Category == "suppression"
}

func fixGuarded(hits []rules.Hit, d *diffs.Diff) []string {
	var out []string
	for _, h := range hits {
		if h.Rule == rules.CheckAltered && !finding.Severity(h.Severity).AtLeast(finding.High) {
			continue // what checks run more than before
		}
		out = append(out, hitLine(h))
	}
	for _, f := range d.Files {
		for _, p := range slices.Compact([]string{f.OldPath, f.Path}) {
			if what := offLimits(p); what != "" {
				out = append(out, fmt.Sprintf("%s: a fix may not touch %s", finding.ShowPath(p), what))
			}
		}
	}
	return out
}

// offLimits names what a path belongs to that no fixer may change.
func offLimits(p string) string {
	top, _, _ := strings.Cut(p, "/")
	base := path.Base(p)
	switch {
	case top == ".gitplan":
		return "the reviewers and the set-up of git plan"
	case top == ".husky", top == ".githooks", top == ".lefthook", top == ".pre-commit-hooks.yaml",
		strings.HasPrefix(base, ".pre-commit-config."), strings.HasPrefix(strings.TrimPrefix(base, "."), "lefthook"),
		strings.HasPrefix(base, ".huskyrc"):
		return "the hooks"
	case base == ".gitattributes":
		return "git's attributes"
	}
	return ""
}

func hitLine(h rules.Hit) string {
	switch {
	case h.Path == "":
		return finding.Line(h.Title, finding.MaxTitle)
	case h.Line == 0:
		return finding.ShowPath(rules.Mask(h.Path)) + ": " + finding.Line(h.Title, finding.MaxTitle)
	}
	return fmt.Sprintf("%s:%d: %s", finding.ShowPath(rules.Mask(h.Path)), h.Line, finding.Line(h.Title, finding.MaxTitle))
}

// StepGuard returns the guard that checks what a step's session changed.
func StepGuard(c *checkout.Checkout) (gitplan.Guard, error) {
	drift, err := c.Config.Word("plan.drift")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, step *plan.Step, set place.Changeset) (failing, reported []string, err error) {
		change := rules.Change{Diff: set.Diff, Plan: planOf(step), File: rules.FilesOf(ctx, c.Repo, set.Tree)}
		if c.Doc != nil {
			change.Checks = panel.ChecksOf(c.Doc.Plan)
		}
		hits, err := rules.Held(ctx, c.Repo, set.Head, set.Tree, change, rules.Guard)
		if err != nil {
			return nil, nil, err
		}
		g := guarded(hits, set.Diff, step, drift)
		return g.Fails, append(g.Reports, unjudged(c.Repo, set)...), nil
	}, nil
}

// unjudged removes the verdicts for what a session changed, and returns a note about it. If
// it changed nothing they stay: HEAD has that tree.
func unjudged(r *git.Repo, set place.Changeset) []string {
	if len(set.Diff.Files) == 0 {
		return nil
	}
	return ledger.Unjudged(setup.VerdictDir(r), set.Tree)
}
