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
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// planOf returns a plan of this step alone: only what it deletes may be deleted.
func planOf(step *plan.Step) *rules.Plan {
	if step == nil {
		return nil
	}
	return panel.RulesPlan(&plan.Plan{Steps: []plan.Step{*step}})
}

// guarded returns what a guard says of a change that a session made for a step:
// why it must not be committed (a test file deleted, a test skipped or emptied, a conflict
// marker, a secret), and what is only reported. Files outside of the step's are drift: see
// drifted.
func guarded(hits []rules.Hit, set workspace.Changeset, step *plan.Step, drift string) (said workspace.Guarded) {
	for _, h := range hits {
		if finding.Severity(h.Severity).AtLeast(finding.High) {
			said.Failing = append(said.Failing, hitLine(h))
		} else {
			said.Reported = append(said.Reported, hitLine(h))
		}
	}
	if step != nil && len(step.Files) > 0 {
		drifted(&said, set, step, drift)
	}
	return said
}

// drifted adds the files outside of a step's: those that fail it, and those that are only reported.
// plan.drift decides: "fail" fails, "report" reports, and "declared" reports what the session
// named with a reason, and what no session did: a check may build, or format, and does so again
// whatever session comes next.
func drifted(said *workspace.Guarded, set workspace.Changeset, step *plan.Step, drift string) {
	because := map[string]string{}
	for _, d := range set.Declared {
		because[d.File] = finding.Line(d.Because, finding.MaxTitle)
	}
	for _, p := range rules.Drift(set.Diff, step.Files) {
		text := finding.ShowPath(p) + ": the step does not name this file"
		if why := because[p]; why != "" {
			text += "; its session says: " + why
		}
		rewritten := slices.Contains(set.Rewritten, p)
		if rewritten {
			text += "; a check changed it"
		}
		switch {
		case drift == "fail":
			said.Failing = append(said.Failing, text)
		case drift == "declared" && because[p] == "" && !set.ByHand && !rewritten:
			said.Failing = append(said.Failing, text+", and the session gave no reason (drift) for changing it")
			said.Unexplained = append(said.Unexplained, p)
		default:
			said.Reported = append(said.Reported, text)
		}
	}
}

// ofFixes selects the rules that a fix is held to.
func ofFixes(r rules.Rule) bool {
	return r.Guard || r.Category == "tests" || r.Category == "suppression"
}

// fixGuarded returns why a fixer's change must not be committed: it deletes or weakens tests,
// silences a checker, leaves a secret or a conflict, or touches the reviewers or the hooks.
func fixGuarded(hits []rules.Hit, d *git.Diff) []string {
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
		return finding.ShowPath(secret.Mask(h.Path)) + ": " + finding.Line(h.Title, finding.MaxTitle)
	}
	return fmt.Sprintf("%s:%d: %s", finding.ShowPath(secret.Mask(h.Path)), h.Line, finding.Line(h.Title, finding.MaxTitle))
}

// StepGuard returns the guard that checks what a step's session changed.
func StepGuard(c *checkout.Checkout) (gitplan.Guard, error) {
	drift, err := c.Config.Word("plan.drift")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, step *plan.Step, set workspace.Changeset) (workspace.Guarded, error) {
		change := rules.Change{Diff: set.Diff, Plan: planOf(step), OfStep: true}
		if c.Doc != nil {
			change.Checks = panel.ChecksOf(c.Doc.Plan)
		}
		hits, err := rules.FindIn(ctx, c.Repo, set.Head, set.Tree, change, rules.Guard())
		if err != nil {
			return workspace.Guarded{}, err
		}
		said := guarded(hits, set, step, drift)
		said.Reported = append(said.Reported, tooLarge(set.Diff)...)
		said.Reported = append(said.Reported, removeVerdicts(c.Repo, set)...)
		return said, nil
	}, nil
}

// removeVerdicts removes the verdicts for what a session changed, and returns a note about it. If
// it changed nothing they stay: HEAD has that tree.
func removeVerdicts(r *git.Repo, set workspace.Changeset) []string {
	if len(set.Diff.Files) == 0 {
		return nil
	}
	return ledger.RemoveVerdicts(integrity.VerdictDir(r), set.Tree)
}

// tooMany is the number of changed lines that few read well.
const tooMany = 400

// tooLarge returns a note about a change of more lines than people read well. Lock files, which
// programs write, do not count.
func tooLarge(d *git.Diff) []string {
	lines := 0
	for _, f := range d.Files {
		if rules.ClassOf(f.Path) == rules.Lock {
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind != ' ' {
					lines++
				}
			}
		}
	}
	if lines <= tooMany {
		return nil
	}
	return []string{fmt.Sprintf("it changed %d lines, more than %d", lines, tooMany)}
}
