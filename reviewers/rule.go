package reviewers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/rules"
)

const rulesName = "rules"

// Rules is the [Reviewer] that needs no model. It judges the whole change in every
// round: what it does not find again is gone.
type Rules struct{}

// Name returns what reports call the built-in rules.
func (Rules) Name() string { return rulesName }

// Digest changes when a rule comes, goes, or weighs differently.
func (Rules) Digest() string {
	sum := sha256.Sum256([]byte(rules.Digest()))
	return hex.EncodeToString(sum[:])
}

// Review applies all rules.
func (Rules) Review(ctx context.Context, t *Target) Report {
	r := Report{Reviewer: rulesName, Required: true}
	hits, err := t.rules(ctx)
	if err != nil {
		r.Incomplete = line("the difference could not be read: "+err.Error(), maxTitle)
		return r
	}
	var lost []rules.Hit
	if t.repo != nil {
		lost, err = LostSecrets(ctx, t.repo, t.Commits, hits)
	}
	if err != nil {
		r.Incomplete = line("the commits could not be read: "+err.Error(), maxTitle)
		return r
	}
	for _, h := range slices.Concat(hits, lost, t.stepsInBase()) {
		f := fromHit(h)
		f.Round = t.Round
		r.Findings = append(r.Findings, f)
	}
	t.anchor(ctx, pointers(r.Findings)...)
	for _, f := range t.Diff.Files {
		r.Covered = append(r.Covered, f.Path)
	}
	return r
}

// stepsInBase finds steps whose commits the base has: nobody judges them here. A
// person may have merged them; else somebody moved the base.
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
		Rule: "step-in-base", Category: "plan", Severity: "medium", Key: key, Ask: true, Advice: true,
		Title: "the base has these steps already, so they are not judged: " + key,
		Why:   "A review judges what the base has not. If nobody merged them, put the base back and review again.",
	}}
}

// rules applies the rules to the difference in memory, or, if it is too large for that,
// as git writes it.
func (t *Target) rules(ctx context.Context) ([]rules.Hit, error) {
	c := rules.Change{Diff: t.Diff, Commits: t.Commits, Plan: rulesPlan(t.Plan, t.Progress)}
	if t.repo == nil {
		return rules.Find(c, rules.Review), nil
	}
	c.Paths = func() ([]string, error) { return t.repo.Paths(ctx, t.Head) }
	c.Checks, c.File = checksOf(t.Plan), filesOf(ctx, t.repo, t.Head)
	return rules.Held(ctx, t.repo, t.Base, t.Head, c, rules.Review)
}

// rulesPlan returns what the rules know of a plan. A step whose commit became part of
// another one has a commit, whatever the message of that one names. pr may be nil.
func rulesPlan(p *plan.Plan, pr *progress.Progress) *rules.Plan {
	if p == nil {
		return nil
	}
	hasCommit := func(step string) bool {
		return pr != nil && pr.Steps[step].State == progress.StateDone && pr.Steps[step].Commit != journal.None
	}
	known := &rules.Plan{ID: p.ID}
	for i := range p.Steps {
		s := &p.Steps[i]
		known.Steps = append(known.Steps, rules.Step{
			N: s.N, ID: s.ID, Files: s.Files, Deletes: s.Action == "delete",
			NoCommits: s.Status.Word == "skipped" || s.Run != "" || hasCommit(s.ID),
		})
	}
	return known
}

// fromHit makes a finding of what a rule found. It needs no confirmation.
func fromHit(h rules.Hit) Finding {
	f := Finding{
		Category: h.Category, Severity: Severity(h.Severity), File: h.Path, Line: h.Line, Rule: h.Rule,
		Quote: block(h.Quote, maxTitle), Title: line(h.Title, maxTitle), Detail: h.Why, Remedy: "fix",
		Reviewers: []string{rulesName}, Status: Confirmed, Sure: true, Advice: h.Advice,
	}
	if h.Ask {
		f.Remedy = "ask"
	}
	if h.Key != "" || h.Quote == "" {
		f.ID = fingerprint(h.Rule, h.Path, h.Key, "")
	}
	return f
}

// checksOf returns the commands that say whether the work of a plan is right, those of all
// its steps: another session may be judged by what this one alters.
func checksOf(p *plan.Plan) []string {
	if p == nil {
		return nil
	}
	out := slices.Concat(plan.Commands(p.Checks), plan.Commands(p.Verification))
	for i := range p.Steps {
		out = append(out, plan.Commands(p.Steps[i].Checks)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// filesOf reads the files of a commit or tree.
func filesOf(ctx context.Context, r *git.Repo, tree string) func(path string) ([]byte, bool) {
	return func(path string) ([]byte, bool) {
		o, err := r.Read(ctx, tree+":"+path)
		return o.Data, err == nil && o.Type == "blob"
	}
}
