package reviewers

import (
	"context"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// LostSecret is the rule of a secret that one commit adds and a later one takes
// away, or that stands in a message: the difference does not show it, and whoever
// gets the branch gets it.
const LostSecret = "secret-in-history"

// maxEach is how many commits are looked at one by one, the newest.
const maxEach = 200

// LostSecrets finds them in commits, newest first. now are the hits in the
// difference itself. A merge brings nothing of its own that this does not show.
// All commits are read by one git process; only one that is too large to be held
// costs another.
func LostSecrets(ctx context.Context, r *git.Repo, commits []git.Commit, now []rules.Hit) ([]rules.Hit, error) {
	said, err := saidBy(ctx, r, commits)
	if err != nil {
		return nil, err
	}
	if len(commits) < 2 {
		return said, nil
	}
	var single []git.Commit
	var pairs [][2]string
	for _, c := range commits[:min(len(commits), maxEach)] {
		if len(c.Parents) < 2 {
			from, err := treeBefore(ctx, r, c)
			if err != nil {
				return nil, err
			}
			single, pairs = append(single, c), append(pairs, [2]string{from, c.Tree})
		}
	}
	diffs, err := r.Diffs(ctx, pairs)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, h := range now {
		seen[identity(h)] = true
	}
	lost := said
	for i, d := range diffs {
		hits, err := secretsOf(ctx, r, d, single[i])
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			if id := identity(h); !seen[id] {
				seen[id] = true
				h.Rule, h.Key = LostSecret, identity(h)
				h.Line = 0 // of a file that looks different now
				h.Title += fmt.Sprintf(", in commit %.10s: a later commit does not take it out of the history", single[i].OID)
				lost = append(lost, h)
			}
		}
	}
	return lost, nil
}

// treeBefore is the tree that a commit began with; empty for a first one.
func treeBefore(ctx context.Context, r *git.Repo, c git.Commit) (string, error) {
	if len(c.Parents) == 0 {
		return "", nil
	}
	parent, err := r.ReadCommit(ctx, c.Parents[0])
	return parent.Tree, err
}

// saidBy finds what the commits themselves hold, as they are stored: a log tells of a
// message only what stands before a zero byte.
func saidBy(ctx context.Context, r *git.Repo, commits []git.Commit) (said []rules.Hit, err error) {
	for _, c := range commits {
		o, err := r.Read(ctx, c.OID)
		if err != nil {
			return nil, err
		}
		said = append(said, rules.InCommit(o.OID, string(o.Data))...)
	}
	for i := range said {
		said[i].Rule = LostSecret
	}
	return said, nil
}

func secretsOf(ctx context.Context, r *git.Repo, d *git.Diff, c git.Commit) ([]rules.Hit, error) {
	from := ""
	if len(c.Parents) > 0 {
		from = c.Parents[0]
	}
	return rules.Held(ctx, r, from, c.OID, rules.Change{Diff: d}, isSecret)
}

func isSecret(r rules.Rule) bool { return r.Gate && r.Category == "secret" }

// identity tells secrets apart, wherever they were moved.
func identity(h rules.Hit) string {
	if h.Key != "" {
		return h.Rule + " " + h.Key
	}
	return h.Rule + " " + h.Path
}
