package hooks

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// fewCommits is how many commits of a branch, or of its base, are read one by
// one, which takes 0.1 ms each, as measured, and no git process.
const fewCommits = 100

// clean is the short way for the common push: a simple chain of commits on a base that
// the remote has, whose trees a review has passed. It checks no less than the long way
// does, including what the remote may have already. It reports true only if there is
// nothing to say; false means that the long way must look.
func (p *pushing) clean(ctx context.Context, one Push, doc *journal.Document, base string) bool {
	if base == "" {
		return false
	}
	head, err := p.Repo.ReadCommit(ctx, one.LocalOID)
	if err != nil {
		return false
	}
	commits, work, ok := p.onBase(ctx, head.OID, base)
	if !ok || len(commits) == 0 || !p.has(ctx, one, commits, work, base) {
		return false
	}
	var pl *plan.Plan
	if doc != nil {
		pl = doc.Plan
	}
	v, err := reviewers.Known(ctx, p.Checkout, pl, work, head.OID)
	if err != nil || !v.Passes() {
		return false
	}
	return p.noHits(ctx, commits)
}

// onBase returns the commits that head adds to its base, newest first, and where they
// begin. Both are simple chains, so that is the first commit of one that is in the other.
func (p *pushing) onBase(ctx context.Context, head, base string) (commits []git.Commit, work string, ok bool) {
	tip, err := p.Repo.Resolve(ctx, p.tip(ctx, base)+"^{commit}")
	if err != nil {
		return nil, "", false
	}
	if commits, ok = p.Repo.Chain(ctx, head, tip, fewCommits); ok {
		return commits, tip, true
	}
	// The base has moved on: go down both.
	below := map[string]bool{}
	for at, n := tip, 0; n < fewCommits; n++ {
		c, err := p.Repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 {
			break
		}
		at = c.Parents[0]
		below[at] = true
	}
	for at := head; len(commits) < fewCommits; {
		if below[at] {
			return commits, at, true
		}
		c, err := p.Repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 {
			return nil, "", false
		}
		commits, at = append(commits, c), c.Parents[0]
	}
	return nil, "", false
}

// has reports whether the remote is known to have the commit where the work begins, and
// so everything below it.
func (p *pushing) has(ctx context.Context, one Push, commits []git.Commit, work, base string) bool {
	if one.RemoteOID == work {
		return true
	}
	for _, c := range commits {
		if c.OID == one.RemoteOID {
			return true
		}
	}
	if !p.named {
		return false
	}
	tracked := p.remote + "/" + strings.TrimPrefix(base, p.remote+"/")
	if p.isForeign(tracked) {
		return false
	}
	tip, err := p.Repo.Resolve(ctx, p.tip(ctx, "refs/remotes/"+tracked)+"^{commit}")
	if err != nil {
		return false
	}
	_, ok := p.Repo.Chain(ctx, tip, work, fewCommits)
	return ok
}

// noHits reports whether the rules about history, which no verdict covers, find nothing.
// The secrets of a single commit are those of the whole difference, which was reviewed.
func (p *pushing) noHits(ctx context.Context, commits []git.Commit) bool {
	about := scan.Change{Diff: &diffs.Diff{}, Commits: commits}
	if len(scan.Find(about, rules.Those(func(r scan.Rule) bool { return r.Name == "fixup-commit" }))) > 0 {
		return false
	}
	lost, err := p.past.LostSecrets(ctx, commits, nil)
	return err == nil && len(lost) == 0
}
