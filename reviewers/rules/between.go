package rules

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Between judges what changed from one commit or tree ("": the empty one) to another, in pieces.
func Between(ctx context.Context, r *git.Repo, from, to string, c Change, rules []Rule) ([]Hit, error) {
	c.reads(ctx, r, to)
	var s *pass
	start := func(d *git.Diff) {
		c.Diff = d
		s = begin(&c, rules)
	}
	err := git.WalkDiff(ctx, r, from, to, start, func(f *git.FileDiff) { s.file(f) })
	if err != nil || s == nil {
		return nil, err
	}
	return s.hits(), nil
}

// FindIn judges c.Diff, the difference between two commits or trees, which is read again if parts of it are missing.
func FindIn(ctx context.Context, r *git.Repo, from, to string, c Change, rules []Rule) ([]Hit, error) {
	c.Old = FilesOf(ctx, r, from)
	c.reads(ctx, r, to)
	if slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool { return f.Cut }) {
		return Between(ctx, r, from, to, c, rules)
	}
	return Find(c, rules), nil
}

// FilesOf returns the function that reads the files of a commit or tree, which may be ""; a folder exists without bytes.
func FilesOf(ctx context.Context, r *git.Repo, from string) func(path string) ([]byte, bool) {
	return func(p string) ([]byte, bool) {
		if from == "" {
			return nil, false
		}
		o, err := r.Read(ctx, from+":"+p)
		if err == nil && o.Type == "blob" {
			return append([]byte{}, o.Data...), true
		}
		return nil, err == nil && o.Type == "tree"
	}
}

// reads has a change read from a repository, unless it is read from elsewhere.
func (c *Change) reads(ctx context.Context, r *git.Repo, to string) {
	if c.Read == nil {
		c.Read = git.Contents(ctx, r)
	}
	if c.Stream == nil {
		c.Stream = git.Streams(ctx, r)
	}
	if c.Paths == nil {
		c.Paths = func() ([]string, error) { return r.Paths(ctx, to) }
	}
}

// Staged is how the index is named to [Of].
const Staged = "staged"

// Of judges the staged change, a commit, or a range "A..B", and returns its last commit; "" for the staged change.
func Of(ctx context.Context, r *git.Repo, what string) (head string, hits []Hit, err error) {
	if what == Staged {
		tree, err := r.Output(ctx, "write-tree")
		if err != nil {
			return "", nil, err
		}
		from, err := r.Resolve(ctx, "HEAD^{tree}")
		if err != nil {
			from = "" // nothing is committed yet
		}
		hits, err = Between(ctx, r, from, strings.TrimSpace(tree), Change{}, Review())
		return "", hits, err
	}
	from, to, isRange := strings.Cut(what, "..")
	if !isRange {
		k, err := r.ReadCommit(ctx, what)
		if err != nil {
			return "", nil, err
		}
		if from = ""; len(k.Parents) > 0 {
			from = k.Parents[0]
		}
		hits, err = Between(ctx, r, from, k.OID, Change{Commits: []git.Commit{k}}, Review())
		return k.OID, hits, err
	}
	for _, name := range []*string{&from, &to} {
		if *name, err = r.Resolve(ctx, cmp.Or(*name, "HEAD")+"^{commit}"); err != nil {
			return "", nil, err
		}
	}
	commits, err := CommitsOf(ctx, r, from, to)
	if err != nil {
		return "", nil, err
	}
	if from, err = r.MergeBase(ctx, from, to); err != nil {
		return "", nil, err
	}
	hits, err = Between(ctx, r, from, to, Change{Commits: commits}, Review())
	return to, hits, err
}

// CommitsOf returns the commits from one (exclusive) to another, newest first.
func CommitsOf(ctx context.Context, r *git.Repo, from, to string) ([]git.Commit, error) {
	if from == r.EmptyTree() {
		return r.Log(ctx, to)
	}
	return r.Log(ctx, from+".."+to)
}
