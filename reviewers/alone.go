package reviewers

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Staged is how the index is named to [RulesAlone].
const Staged = "staged"

// RulesAlone applies the built-in rules, without a session or a clone, to what is
// staged, to one commit, or to what a range "A..B" brings. The findings come by
// path and line, with the identity that they have in a whole review. The end says
// whether any of them is as bad as bar.
func RulesAlone(ctx context.Context, r *git.Repo, what string, bar finding.Severity) (*ledger.Outcome, error) {
	head, hits, err := hitsOf(ctx, r, what)
	if err != nil {
		return nil, err
	}
	found := make([]finding.Finding, 0, len(hits))
	for _, h := range hits {
		found = append(found, finding.FromHit(h))
	}
	finding.Code{Diff: &git.Diff{}, File: rules.FilesOf(ctx, r, head)}.Anchor(found)
	o := &ledger.Outcome{End: ledger.Clean, Reason: "the built-in rules find nothing"}
	if len(found) > 0 {
		o.End, o.Reason = ledger.Notes, "the built-in rules only advise"
	}
	if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Blocks(bar) }) {
		o.End, o.Reason = ledger.Found, "the built-in rules find what blocks"
	}
	o.Ledger = &ledger.Ledger{Schema: ledger.Schema, Head: head, End: o.End, Reason: o.Reason, Only: []string{finding.RulesName}, Rounds: []ledger.Round{}, Findings: found}
	return o, nil
}

// hitsOf returns what the rules find, and the commit that they judged; of what is staged,
// none.
func hitsOf(ctx context.Context, r *git.Repo, what string) (head string, hits []rules.Hit, err error) {
	if what == Staged {
		hits, err = rules.Index(ctx, r, rules.Review())
		return "", hits, err
	}
	from, to, isRange := strings.Cut(what, "..")
	if !isRange {
		oid, err := r.Resolve(ctx, what+"^{commit}")
		if err != nil {
			return "", nil, err
		}
		hits, err = rules.Commit(ctx, r, oid, rules.Review())
		return oid, hits, err
	}
	for _, name := range []*string{&from, &to} {
		if *name == "" {
			*name = "HEAD"
		}
		oid, err := r.Resolve(ctx, *name+"^{commit}")
		if err != nil {
			return "", nil, err
		}
		*name = oid
	}
	hits, err = rules.Range(ctx, r, from, to, nil, rules.Review())
	return to, hits, err
}
