package leaks

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// LostSecret is the rule about a secret that one commit adds and a later one removes, or that is
// in a message: the difference does not show it, but everybody who gets the branch gets the
// secret.
const LostSecret = "secret-in-history"

// together is how many commits are read by one git process, and kept in memory at once.
const together = 200

// LostSecrets finds them in commits, newest first. now are the hits in the
// difference itself. Two hundred commits are read by one git process; only one that
// is too large for memory costs another, and all merges together cost one more.
func LostSecrets(ctx context.Context, r *git.Repo, commits []git.Commit, now []scan.Hit) ([]scan.Hit, error) {
	return NewPast(r).LostSecrets(ctx, commits, now)
}

// Past remembers what was found in each commit, so that a commit that several refs of a push
// bring is searched once.
type Past struct {
	repo  *git.Repo
	said  map[string][]scan.Hit // in the commit itself
	added map[string][]scan.Hit // in its files
}

func NewPast(r *git.Repo) *Past {
	return &Past{repo: r, said: map[string][]scan.Hit{}, added: map[string][]scan.Hit{}}
}

// LostSecrets is the function of that name for commits some of which may already have been searched.
func (p *Past) LostSecrets(ctx context.Context, commits []git.Commit, now []scan.Hit) (lost []scan.Hit, err error) {
	for _, c := range commits {
		said, err := p.saidBy(ctx, c)
		if err != nil {
			return nil, err
		}
		lost = append(lost, said...)
	}
	if len(commits) < 2 {
		return lost, nil
	}
	single, merges, err := p.look(ctx, commits)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, h := range now {
		seen[identity(h)] = true
	}
	for _, c := range append(single, merges...) {
		for _, h := range p.added[c.OID] {
			if id := identity(h); !seen[id] {
				seen[id] = true
				h.Rule, h.Key = LostSecret, identity(h)
				h.Line = 0 // of a file that looks different now
				h.Title += fmt.Sprintf(", in commit %.10s: a later commit does not take it out of the history", c.OID)
				lost = append(lost, h)
			}
		}
	}
	return lost, nil
}

// look searches the files of those commits that were not searched before. It returns
// single commits and merges separately.
func (p *Past) look(ctx context.Context, commits []git.Commit) (single, merges []git.Commit, err error) {
	var newSingle, newMerges []git.Commit
	for _, c := range commits {
		_, known := p.added[c.OID]
		all, fresh := &single, &newSingle
		if len(c.Parents) > 1 {
			all, fresh = &merges, &newMerges
		}
		if *all = append(*all, c); !known {
			*fresh = append(*fresh, c)
		}
	}
	for some := range slices.Chunk(newSingle, together) {
		if err := p.inSingle(ctx, some); err != nil {
			return nil, nil, err
		}
	}
	return single, merges, p.inMerges(ctx, newMerges)
}

// inSingle looks at commits with one parent or none.
func (p *Past) inSingle(ctx context.Context, commits []git.Commit) error {
	pairs := make([][2]string, len(commits))
	for i, c := range commits {
		from, err := treeBefore(ctx, p.repo, c)
		if err != nil {
			return err
		}
		pairs[i] = [2]string{from, c.Tree}
	}
	made, err := diffs.OfPairs(ctx, p.repo, pairs)
	if err != nil {
		return err
	}
	for i, d := range made {
		if p.added[commits[i].OID], err = secretsOf(ctx, p.repo, d, commits[i]); err != nil {
			return err
		}
	}
	return nil
}

// inMerges searches what merges have that none of their parents has.
func (p *Past) inMerges(ctx context.Context, merges []git.Commit) error {
	made, err := diffs.OfMerges(ctx, p.repo, merges)
	if err != nil {
		return err
	}
	for i, d := range made {
		p.added[merges[i].OID] = scan.Find(scan.Change{Diff: d, Stream: p.repo.Streams(ctx), Read: p.repo.Contents(ctx)}, certain())
	}
	return nil
}

// treeBefore returns the tree that a commit began with; empty for a first one.
func treeBefore(ctx context.Context, r *git.Repo, c git.Commit) (string, error) {
	if len(c.Parents) == 0 {
		return "", nil
	}
	parent, err := r.ReadCommit(ctx, c.Parents[0])
	return parent.Tree, err
}

// saidBy searches a commit itself, as it is stored: git log shows a message only up to
// its first zero byte.
func (p *Past) saidBy(ctx context.Context, c git.Commit) ([]scan.Hit, error) {
	if said, ok := p.said[c.OID]; ok {
		return said, nil
	}
	o, err := p.repo.Read(ctx, c.OID)
	if err != nil {
		return nil, err
	}
	said := InCommit(o.OID, string(o.Data))
	for i := range said {
		said[i].Rule = LostSecret
	}
	p.said[c.OID] = said
	return said, nil
}

func secretsOf(ctx context.Context, r *git.Repo, d *diffs.Diff, c git.Commit) ([]scan.Hit, error) {
	from := ""
	if len(c.Parents) > 0 {
		from = c.Parents[0]
	}
	return scan.FindIn(ctx, r, from, c.OID, scan.Change{Diff: d}, certain())
}

// certain returns those rules that are sure enough to stop a push.
func certain() []scan.Rule {
	return slices.DeleteFunc(Rules(), func(r scan.Rule) bool { return !r.Gate })
}

// identity returns what identifies a secret wherever it is moved.
func identity(h scan.Hit) string {
	if h.Key != "" {
		return h.Rule + " " + h.Key
	}
	return h.Rule + " " + h.Path
}
