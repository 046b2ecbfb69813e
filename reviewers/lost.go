package reviewers

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// LostSecret is the rule of a secret that one commit adds and a later one takes
// away, or that stands in a message: the difference does not show it, and whoever
// gets the branch gets it.
const LostSecret = "secret-in-history"

// together is how many commits are read by one git process, and held at once.
const together = 200

// LostSecrets finds them in commits, newest first. now are the hits in the
// difference itself. Two hundred commits are read by one git process; only one that
// is too large to be held costs another, and one more all merges together.
func LostSecrets(ctx context.Context, r *git.Repo, commits []git.Commit, now []rules.Hit) ([]rules.Hit, error) {
	lost, err := saidBy(ctx, r, commits)
	if err != nil || len(commits) < 2 {
		return lost, err
	}
	seen := map[string]bool{}
	for _, h := range now {
		seen[identity(h)] = true
	}
	note := func(hits []rules.Hit, c git.Commit) {
		for _, h := range hits {
			if id := identity(h); !seen[id] {
				seen[id] = true
				h.Rule, h.Key = LostSecret, identity(h)
				h.Line = 0 // of a file that looks different now
				h.Title += fmt.Sprintf(", in commit %.10s: a later commit does not take it out of the history", c.OID)
				lost = append(lost, h)
			}
		}
	}
	var single, merges []git.Commit
	for _, c := range commits {
		if len(c.Parents) < 2 {
			single = append(single, c)
		} else {
			merges = append(merges, c)
		}
	}
	for some := range slices.Chunk(single, together) {
		if err := inSingle(ctx, r, some, note); err != nil {
			return nil, err
		}
	}
	err = inMerges(ctx, r, merges, note)
	return lost, err
}

// inSingle looks at commits with one parent or none.
func inSingle(ctx context.Context, r *git.Repo, commits []git.Commit, note func([]rules.Hit, git.Commit)) error {
	pairs := make([][2]string, len(commits))
	for i, c := range commits {
		from, err := treeBefore(ctx, r, c)
		if err != nil {
			return err
		}
		pairs[i] = [2]string{from, c.Tree}
	}
	diffs, err := r.Diffs(ctx, pairs)
	if err != nil {
		return err
	}
	for i, d := range diffs {
		hits, err := secretsOf(ctx, r, d, commits[i])
		if err != nil {
			return err
		}
		note(hits, commits[i])
	}
	return nil
}

// inMerges looks at what merges hold that none of their parents has.
func inMerges(ctx context.Context, r *git.Repo, merges []git.Commit, note func([]rules.Hit, git.Commit)) error {
	diffs, err := r.OfMerges(ctx, merges)
	if err != nil {
		return err
	}
	for i, d := range diffs {
		note(rules.Find(rules.Change{Diff: d, Stream: r.Streams(ctx), Read: r.Contents(ctx)}, isSecret), merges[i])
	}
	return nil
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
