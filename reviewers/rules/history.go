package rules

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// SecretInHistory is the rule about secrets that a later commit removes again, or that are in a message.
const SecretInHistory = "secret-in-history"

// together is the number of commits that one git process reads, and that are in memory at once.
const together = 200

// History searches commits for secrets, each once, however many refs of a push bring it.
type History struct {
	repo     *git.Repo
	messages map[string][]Hit // commit -> hits in its message and header
	files    map[string][]Hit // commit -> hits in the files that it adds
}

func NewHistory(r *git.Repo) *History {
	return &History{repo: r, messages: map[string][]Hit{}, files: map[string][]Hit{}}
}

// Secrets finds them in commits, newest first. now are the hits in the difference itself.
func (h *History) Secrets(ctx context.Context, commits []git.Commit, now []Hit) (lost []Hit, err error) {
	for _, c := range commits {
		if _, known := h.messages[c.OID]; !known {
			o, err := h.repo.Read(ctx, c.OID) // git log shows a message only up to its first zero byte
			if err != nil {
				return nil, err
			}
			h.messages[c.OID] = InObject("commit", o.OID, string(o.Data))
		}
		lost = append(lost, h.messages[c.OID]...)
	}
	if len(commits) < 2 {
		return lost, nil
	}
	for some := range slices.Chunk(h.unsearched(commits, false), together) {
		if _, err := h.search(ctx, some); err != nil {
			return nil, err
		}
	}
	merges := h.unsearched(commits, true)
	made, err := git.MergeDiffs(ctx, h.repo, merges) // the lines that none of their parents has
	if err != nil {
		return nil, err
	}
	for i, d := range made {
		h.files[merges[i].OID] = Find(Change{Diff: d, Stream: git.Streams(ctx, h.repo), Read: git.Contents(ctx, h.repo)}, certain())
	}
	seen := map[string]bool{}
	for _, hit := range now {
		seen[identity(hit)] = true
	}
	mergesLast := func(a, b git.Commit) int { return cmp.Compare(min(len(a.Parents), 2)/2, min(len(b.Parents), 2)/2) }
	for _, c := range slices.SortedStableFunc(slices.Values(commits), mergesLast) {
		for _, hit := range h.files[c.OID] {
			if id := identity(hit); !seen[id] {
				seen[id] = true
				hit.Rule, hit.Key = SecretInHistory, id
				hit.Line = 0 // the line is another one now
				hit.Title += fmt.Sprintf(", in commit %.10s: a later commit does not take it out of the history", c.OID)
				lost = append(lost, hit)
			}
		}
	}
	return lost, nil
}

// unsearched returns the merges, or the other commits, whose files were not searched yet.
func (h *History) unsearched(commits []git.Commit, merges bool) (out []git.Commit) {
	for _, c := range commits {
		if _, known := h.files[c.OID]; !known && merges == (len(c.Parents) > 1) {
			out = append(out, c)
		}
	}
	return out
}

// Difference returns the difference of two trees; the git that reads it also reads what Secrets searches in commits.
func (h *History) Difference(ctx context.Context, from, to string, commits []git.Commit) (*git.Diff, error) {
	var some []git.Commit
	if len(commits) > 1 {
		some = h.unsearched(commits, false)
	}
	made, err := h.search(ctx, some[:min(len(some), together)], [2]string{from, to})
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// search searches the files that commits add, and returns the differences of other pairs of trees.
func (h *History) search(ctx context.Context, commits []git.Commit, pairs ...[2]string) ([]*git.Diff, error) {
	others := len(pairs)
	for _, c := range commits {
		before := ""
		if len(c.Parents) > 0 {
			parent, err := h.repo.ReadCommit(ctx, c.Parents[0])
			if err != nil {
				return nil, err
			}
			before = parent.Tree
		}
		pairs = append(pairs, [2]string{before, c.Tree})
	}
	made, err := git.DiffPairs(ctx, h.repo, pairs)
	if err != nil {
		return nil, err
	}
	for i, c := range commits {
		if h.files[c.OID], err = FindIn(ctx, h.repo, pairs[others+i][0], c.OID,
			Change{Diff: made[others+i]}, certain()); err != nil {
			return nil, err
		}
	}
	return made[:others], nil
}

// certain returns the rules about secrets that are sure enough to stop a push.
func certain() []Rule { return []Rule{secrets(), credentialFiles()} }

func identity(h Hit) string { return h.Rule + " " + cmp.Or(h.Key, h.Path) }

// InRef finds them in the name of a branch or tag.
func InRef(name string) []Hit {
	return inText("", secret.In(name), "the name of the ref holds a secret: ", name,
		"Anyone who lists the branches can use it. Revoke it, and rename the branch or tag.")
}

// InObject finds credentials in a commit or an annotated tag: in its message, its author and so on.
func InObject(what, oid, object string) []Hit {
	head, message, _ := strings.Cut(object, "\n\n")
	if strings.Contains(message, "\x00") { // UTF-16 has one between each two letters
		message += "\n" + strings.ReplaceAll(message, "\x00", "")
	}
	why := fmt.Sprintf("Anyone who gets the %s can use it. Revoke it, and %s.", what, map[string]string{
		"commit": "reword the commit, and give it another author: git rebase -i",
		"tag":    "make the tag again: git tag -f -a"}[what])
	hits := slices.Concat(
		inText("", secret.In(message), fmt.Sprintf("the message of %s %.10s holds a secret: ", what, oid), oid, why),
		inText("", secret.In(head), fmt.Sprintf("the header of %s %.10s holds a secret: ", what, oid), oid, why))
	for i := range hits {
		hits[i].Rule = SecretInHistory
	}
	return hits
}

func inText(path string, found []secret.Secret, title, key, why string) (hits []Hit) {
	for _, c := range found {
		h := secretHit(path, 0, c.Family, c.Value)
		h.Category, h.Severity, h.Key, h.Title, h.Why = "secret", "critical", h.Key+" "+key, title+h.Title, why
		hits = append(hits, h)
	}
	return hits
}

// secretHit returns a hit that shows only as much of a secret as secret.Abridged leaves.
func secretHit(path string, line int, family, value string) Hit {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(value)))
	h := Hit{
		Path: path, Line: line, Quote: secret.Abridged(value), Key: sum[:16],
		Title: fmt.Sprintf("%s (%s)", family, secret.Abridged(value)), Ask: true, Moved: sum,
	}
	switch tests := ForTests(path); {
	case tests && family == secret.PrivateKey:
		h.Severity = "medium" // servers in tests need keys of their own
	case tests:
		h.Severity = "high" // real ones are rarer there, but still a leak
	}
	return h
}
