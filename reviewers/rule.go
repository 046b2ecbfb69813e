package reviewers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/git-plan/git-plan/reviewers/rules"
)

const rulesName = "rules"

// Rules is the [Reviewer] that needs no model. It judges the whole change in
// every round: what it no longer finds is gone.
type Rules struct{}

// Name is how reports call the built-in rules.
func (Rules) Name() string { return rulesName }

// Digest changes when a rule comes, goes, or weighs differently.
func (Rules) Digest() string {
	sum := sha256.Sum256([]byte(rules.Digest()))
	return hex.EncodeToString(sum[:])
}

// Review applies all rules.
func (Rules) Review(ctx context.Context, t *Target) Report {
	r := Report{Reviewer: rulesName, Required: true}
	c := rules.Change{Diff: t.Diff, Commits: t.Commits, Plan: t.Plan, Read: t.blob(ctx)}
	for _, h := range rules.Find(c, rules.Review) {
		f := fromHit(h)
		f.Round = t.Round
		t.anchor(ctx, &f)
		r.Findings = append(r.Findings, f)
	}
	for _, f := range t.Diff.Files {
		r.Covered = append(r.Covered, f.Path)
	}
	return r
}

// fromHit makes a finding of what a rule found. Rules are right as they stand.
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
