package reviewers

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// planOf returns a plan of this step alone, or nil, so that the rules allow only what this step says.
func planOf(step *plan.Step) *plan.Plan {
	if step == nil {
		return nil
	}
	return &plan.Plan{Steps: []plan.Step{*step}}
}

// guarded sorts hits into reasons not to commit a session's change, and reports.
func guarded(hits []rules.Hit, set workspace.Changeset, step *plan.Step, drift string) (result workspace.Guarded) {
	because, refused := map[string]string{}, map[string]bool{}
	for _, d := range set.Declared {
		because[d.File] = finding.Line(d.Because, finding.MaxTitle)
	}
	of := map[string]bool{} // files with a hit about tests that says more than that assertions are gone
	for _, h := range hits {
		of[h.Path] = of[h.Path] || h.Category == "tests" && h.Rule != rules.AssertionsRemoved
	}
	for _, h := range hits {
		if h.Rule == rules.AssertionsRemoved && of[h.Path] {
			continue
		}
		text := h.String()
		why := because[h.Path]
		for _, f := range set.Diff.Files {
			if f.Path == h.Path && why == "" {
				why = because[f.OldPath]
			}
		}
		if h.Explain && why != "" {
			text += "; its session says: " + why
		}
		switch {
		case finding.Severity(h.Severity).AtLeast(finding.High):
			result.Failing, refused[h.Path] = append(result.Failing, text), true
		case h.Explain && drift != "report" && why == "" && !set.ByHand:
			result.Failing = append(result.Failing, text+", and the session gave no reason (drift) for that")
		default:
			result.Reported = append(result.Reported, text)
			if h.Explain || h.Category == "tests" || h.Rule == rules.CheckAltered {
				result.Weakened = append(result.Weakened, text)
			}
		}
	}
	for _, f := range set.Diff.Files { // tools that write a file anew often forget its mode
		if f.OldMode == "100755" && f.NewMode == "100644" {
			result.Reported = append(result.Reported, finding.ShowPath(f.Path)+": it is no longer executable")
		}
	}
	if step != nil && len(step.Files) > 0 {
		result.Restorable = map[string]string{}
		drifted(&result, set, step, drift, because, refused)
	}
	return result
}

// drifted adds the changed files that a step does not name. plan.drift decides: "fail" fails, "report" reports, and
// "declared" reports files for which the session gave a reason, or which a check or a commit hook changed.
func drifted(result *workspace.Guarded, set workspace.Changeset, step *plan.Step, drift string,
	because map[string]string, refused map[string]bool) {
	for _, p := range rules.Drift(set.Diff, step.Files) {
		text := finding.ShowPath(p) + ": the step does not name this file"
		if why := because[p]; why != "" {
			text += "; its session says: " + why
		}
		rewritten := slices.Contains(set.Rewritten, p)
		if rewritten {
			text += "; a check or a commit hook changed it"
		}
		switch {
		case drift == "fail":
			result.Failing = append(result.Failing, text)
		case drift == "declared" && because[p] == "" && !set.ByHand && !rewritten:
			text += ", and the session gave no reason (drift) for changing it"
			// A deleted file has no change that could be put back.
			if slices.ContainsFunc(set.Diff.Files, func(f git.FileDiff) bool { return f.Path == p && f.Status != 'D' }) {
				result.Unexplained = append(result.Unexplained, p)
				if !refused[p] { // such as for a secret
					result.Restorable[text] = p
				}
			}
			result.Failing = append(result.Failing, text)
		default:
			result.Reported = append(result.Reported, text)
		}
	}
}

// ofFixes selects the rules for fixes.
func ofFixes(r rules.Rule) bool {
	return r.Guard || r.Category == "tests" || r.Category == "suppression"
}

// fixGuarded returns the reasons not to commit a fixer's change.
func fixGuarded(hits []rules.Hit, d *git.Diff) []string {
	var out []string
	for _, h := range hits {
		if h.Rule == rules.CheckAltered && !finding.Severity(h.Severity).AtLeast(finding.High) {
			continue // the check is not weaker
		}
		out = append(out, h.String())
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

// StepGuard applies the rules for steps to a session's change before it is committed.
func StepGuard(ctx context.Context, c *checkout.Checkout, step *plan.Step,
	set workspace.Changeset) (workspace.Guarded, error) {
	drift, err := c.Config.Word("plan.drift")
	if err != nil {
		return workspace.Guarded{}, err
	}
	change := rules.Change{Diff: set.Diff, Plan: planOf(step), OfStep: true}
	if c.Doc != nil {
		change.Checks = panel.ChecksOf(c.Doc.Plan)
		if step != nil && c.Doc.Plan.Bounds != nil { // patterns written by a planner must not open the files that measure it
			byName := *step
			byName.Files = []string{".git"} // matches no change; a step without files may touch any file
			for _, f := range set.Diff.Files {
				if slices.Contains(step.Files, f.Path) {
					byName.Files = append(byName.Files, f.Path)
				}
			}
			change.Plan, change.Measures = planOf(&byName), plan.Commands(c.Doc.Plan.Verification)
		}
	}
	hits, err := rules.FindIn(ctx, c.Repo, set.Head, set.Tree, change, rules.Guard())
	if err != nil {
		return workspace.Guarded{}, err
	}
	result := guarded(hits, set, step, drift)
	if c.Doc != nil && step != nil {
		result.Failing = append(result.Failing, outOfBounds(c.Doc.Plan.Bounds, set.Diff, *step)...)
	}
	result.Reported = append(result.Reported, removeVerdicts(c.Repo, set)...)
	return result, nil
}

// Measuring returns the files among some that define, at HEAD, what the commands under Done when measure.
func Measuring(ctx context.Context, c *checkout.Checkout, files []string) ([]string, error) {
	commands := plan.Commands(c.Doc.Plan.Verification)
	head, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	return rules.Defining(rules.Change{Diff: &git.Diff{}, Checks: commands, Measures: commands,
		Old: rules.FilesOf(ctx, c.Repo, head)}, files), err
}

// outOfBounds returns a line for each changed file that neither these steps nor the plan's Bounds allow.
func outOfBounds(b *plan.Bounds, d *git.Diff, steps ...plan.Step) (out []string) {
	if b == nil || len(b.Files) == 0 {
		return nil
	}
	may := slices.Clone(b.Files)
	for _, s := range steps {
		// A step's "src/**" matches the Bounds' "src/*", and allows more.
		may = append(may, slices.DeleteFunc(slices.Clone(s.Files), b.AllowsFile)...)
	}
	for _, p := range rules.Outside(d, may) {
		out = append(out, finding.ShowPath(p)+": it is outside of the plan's Bounds")
	}
	return out
}

// removeVerdicts removes the verdicts for a changed tree, since a session may have forged one beforehand, and returns a
// note about it. If the verdict was genuine, that costs another review.
func removeVerdicts(r *git.Repo, set workspace.Changeset) []string {
	if len(set.Diff.Files) == 0 || !ledger.RemoveVerdicts(integrity.VerdictDir(r), set.Tree) {
		return nil
	}
	return []string{"these files were reviewed before; they are reviewed again"}
}

// RulesAlone applies the built-in rules, without a session or a clone, to a change as rules.Of names it.
func RulesAlone(ctx context.Context, r *git.Repo, what string, bar finding.Severity) (*ledger.Ledger, error) {
	head, hits, err := rules.Of(ctx, r, what)
	if err != nil {
		return nil, err
	}
	found := make([]finding.Finding, 0, len(hits))
	for _, h := range hits {
		found = append(found, finding.FromHit(h))
	}
	finding.Code{Diff: &git.Diff{}, File: rules.FilesOf(ctx, r, head)}.Anchor(found)
	end, reason := ledger.Clean, "the built-in rules find nothing"
	if len(found) > 0 {
		end, reason = ledger.Notes, "the built-in rules only advise"
	}
	if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Blocks(bar) }) {
		end, reason = ledger.Found, "the built-in rules find what blocks"
	}
	return &ledger.Ledger{Schema: ledger.Schema, Head: head, End: end, Reason: reason, Only: []string{finding.RulesName},
		Rounds: []ledger.Round{}, Findings: found}, nil
}
