package rules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/secret"
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
func LostSecrets(ctx context.Context, r *git.Repo, commits []git.Commit, now []Hit) ([]Hit, error) {
	return NewPast(r).LostSecrets(ctx, commits, now)
}

// Past remembers what was found in each commit, so that a commit that several refs of a push
// bring is searched once.
type Past struct {
	repo  *git.Repo
	said  map[string][]Hit // in the commit itself
	added map[string][]Hit // in its files
}

func NewPast(r *git.Repo) *Past {
	return &Past{repo: r, said: map[string][]Hit{}, added: map[string][]Hit{}}
}

// LostSecrets is the function of that name for commits some of which may already have been searched.
func (p *Past) LostSecrets(ctx context.Context, commits []git.Commit, now []Hit) (lost []Hit, err error) {
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
	made, err := git.DiffPairs(ctx, p.repo, pairs)
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
	made, err := git.MergeDiffs(ctx, p.repo, merges)
	if err != nil {
		return err
	}
	for i, d := range made {
		p.added[merges[i].OID] = Find(Change{Diff: d, Stream: p.repo.Streams(ctx), Read: p.repo.Contents(ctx)}, certain())
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
func (p *Past) saidBy(ctx context.Context, c git.Commit) ([]Hit, error) {
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

func secretsOf(ctx context.Context, r *git.Repo, d *git.Diff, c git.Commit) ([]Hit, error) {
	from := ""
	if len(c.Parents) > 0 {
		from = c.Parents[0]
	}
	return FindIn(ctx, r, from, c.OID, Change{Diff: d}, certain())
}

// certain returns the rules about secrets that are sure enough to stop a push.
func certain() []Rule {
	return []Rule{secrets(), credentialFiles()}
}

// identity returns what identifies a secret wherever it is moved.
func identity(h Hit) string {
	if h.Key != "" {
		return h.Rule + " " + h.Key
	}
	return h.Rule + " " + h.Path
}

// InCommit finds credentials in what a commit's object has in addition to its tree: message,
// author, committer and so on. No difference shows that, and no later commit removes it.
func InCommit(oid, object string) []Hit {
	return inObject("commit", oid, object, "reword the commit, and give it another author: git rebase -i")
}

// InTag finds them in an annotated tag.
func InTag(oid, object string) []Hit {
	return inObject("tag", oid, object, "make the tag again: git tag -f -a")
}

// InRef finds them in the name of a branch or tag.
func InRef(name string) []Hit {
	hits := reported("", secret.In(name), "the name of the ref holds a secret: ", name)
	for i := range hits {
		hits[i].Why = "Whoever lists the branches can use it. Revoke it, and rename the branch or tag."
	}
	return hits
}

func inObject(what, oid, object, next string) []Hit {
	head, message, _ := strings.Cut(object, "\n\n")
	hits := reported("", secret.In(message), fmt.Sprintf("%s %.10s says a secret: ", what, oid), oid)
	hits = append(hits, reported("", secret.In(head), fmt.Sprintf("%s %.10s names a secret as whose it is: ", what, oid), oid)...)
	for i := range hits {
		hits[i].Why = fmt.Sprintf("Whoever gets the %s can use it. Revoke it, and %s.", what, next)
	}
	return hits
}

// inName finds them in the name that a file gets.
func inName(f *File) []Hit {
	if !IsNew(f.FileDiff) {
		return nil
	}
	return reported(f.FileDiff.Path, secret.In(f.FileDiff.Path), "the file's name holds a secret: ", "name")
}

// reported returns hits with a title that begins so, one for each key.
func reported(path string, found []secret.Secret, title, key string) (hits []Hit) {
	for _, c := range found {
		h := secretHit(path, 0, c.Family, c.Value)
		h.Category, h.Severity, h.Key, h.Title = "secret", "critical", h.Key+" "+key, title+h.Title
		hits = append(hits, h)
	}
	return hits
}

// secretHit returns a hit that shows only as much of a secret as secret.Abridged leaves.
func secretHit(path string, line int, family, value string) Hit {
	sum := sha256.Sum256([]byte(value))
	return Hit{
		Path: path, Line: line, Quote: secret.Abridged(value), Key: hex.EncodeToString(sum[:8]),
		Title: fmt.Sprintf("%s (%s)", family, secret.Abridged(value)), Ask: true, Moved: hex.EncodeToString(sum[:]),
	}
}
