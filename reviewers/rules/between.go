package rules

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Between judges what changed from one commit or tree to another, an empty from being the empty
// tree. The difference is read once, as git writes it, and only a piece of one file is in memory
// at a time: its size does not matter. c has the commits and the plan; whatever else it lacks is
// read from the repository.
func Between(ctx context.Context, r *git.Repo, from, to string, c Change, rules []Rule) ([]Hit, error) {
	if c.Read == nil {
		c.Read = git.Contents(ctx, r)
	}
	if c.Stream == nil {
		c.Stream = git.Streams(ctx, r)
	}
	if c.Paths == nil {
		c.Paths = func() ([]string, error) { return r.Paths(ctx, to) }
	}
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

// FindIn judges c.Diff, the difference between two commits or trees, as it is in memory,
// or, if that is not all of it, as git writes it.
func FindIn(ctx context.Context, r *git.Repo, from, to string, c Change, rules []Rule) ([]Hit, error) {
	c.Old = func(p string) ([]byte, bool) {
		if from == "" {
			return nil, false
		}
		o, err := r.Read(ctx, from+":"+p)
		if err == nil && o.Type == "blob" {
			return append([]byte{}, o.Data...), true
		}
		return nil, err == nil && o.Type == "tree"
	}
	if c.Paths == nil {
		c.Paths = func() ([]string, error) { return r.Paths(ctx, to) }
	}
	if slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool { return f.Cut }) {
		return Between(ctx, r, from, to, c, rules)
	}
	if c.Read == nil {
		c.Read = git.Contents(ctx, r)
	}
	c.Stream = git.Streams(ctx, r)
	return Find(c, rules), nil
}

// Range judges the commits from..to: where to left from, to what it is.
func Range(ctx context.Context, r *git.Repo, from, to string, p *Plan, rules []Rule) ([]Hit, error) {
	commits, err := r.Log(ctx, "--end-of-options", to, "^"+from)
	if err != nil {
		return nil, err
	}
	base, err := r.MergeBase(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return Between(ctx, r, base, to, Change{Commits: commits, Plan: p}, rules)
}

// Commit judges one commit against its first parent.
func Commit(ctx context.Context, r *git.Repo, name string, rules []Rule) ([]Hit, error) {
	k, err := r.ReadCommit(ctx, name)
	if err != nil {
		return nil, err
	}
	parent := ""
	if len(k.Parents) > 0 {
		parent = k.Parents[0]
	}
	return Between(ctx, r, parent, k.OID, Change{Commits: []git.Commit{k}}, rules)
}

// Index judges what is staged.
func Index(ctx context.Context, r *git.Repo, rules []Rule) ([]Hit, error) {
	tree, err := r.Output(ctx, "write-tree")
	if err != nil {
		return nil, err
	}
	head, err := r.Resolve(ctx, "HEAD^{tree}")
	if err != nil {
		head = "" // nothing is committed yet
	}
	return Between(ctx, r, head, strings.TrimSpace(tree), Change{}, rules)
}

// CommitsOf returns the commits from one (exclusive) to another, newest first.
func CommitsOf(ctx context.Context, r *git.Repo, from, to string) ([]git.Commit, error) {
	if from == r.EmptyTree() {
		return r.Log(ctx, to)
	}
	return r.Log(ctx, from+".."+to)
}

// FilesOf reads the files of a commit or tree.
func FilesOf(ctx context.Context, r *git.Repo, tree string) func(path string) ([]byte, bool) {
	return func(path string) ([]byte, bool) {
		o, err := r.Read(ctx, tree+":"+path)
		return o.Data, err == nil && o.Type == "blob"
	}
}
