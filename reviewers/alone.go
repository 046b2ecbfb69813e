package reviewers

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Staged is how the index is named to [RulesAlone].
const Staged = "staged"

// RulesAlone applies the built-in rules, without a session or a clone, to what is
// staged, to one commit, or to what a range "A..B" brings. The findings come by
// path and line.
func RulesAlone(ctx context.Context, r *git.Repo, what string) ([]finding.Finding, error) {
	hits, err := hitsOf(ctx, r, what)
	out := make([]finding.Finding, 0, len(hits))
	for _, h := range hits {
		out = append(out, finding.FromHit(h))
	}
	return out, err
}

func hitsOf(ctx context.Context, r *git.Repo, what string) ([]rules.Hit, error) {
	if what == Staged {
		return rules.Index(ctx, r, rules.Review)
	}
	from, to, isRange := strings.Cut(what, "..")
	if !isRange {
		oid, err := r.Resolve(ctx, what+"^{commit}")
		if err != nil {
			return nil, err
		}
		return rules.Commit(ctx, r, oid, rules.Review)
	}
	for _, name := range []*string{&from, &to} {
		if *name == "" {
			*name = "HEAD"
		}
		oid, err := r.Resolve(ctx, *name+"^{commit}")
		if err != nil {
			return nil, err
		}
		*name = oid
	}
	return rules.Range(ctx, r, from, to, nil, rules.Review)
}
