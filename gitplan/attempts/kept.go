package attempts

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Kept is one attempt that was kept: what a session left that was not
// committed on the branch.
type Kept struct {
	Name   string // "<step>/<n>", as commands take it
	Ref    string
	Commit string
	Time   time.Time
	Reason string
}

// All lists the kept attempts of the branch's plan, of one step or, with
// an empty name, of all, by step and number.
func All(ctx context.Context, c *checkout.Checkout, step string) ([]Kept, error) {
	prefix := journal.AttemptPrefix + Owner(c) + "/"
	refs, err := c.Repo.Refs(ctx, prefix+step)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	var out []Kept
	args := []string{"--no-walk=unsorted"}
	for _, r := range refs {
		args = append(args, r.OID)
	}
	commits, err := c.Repo.Log(ctx, args...)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		k := Kept{Name: strings.TrimPrefix(r.Name, prefix), Ref: r.Name, Commit: r.OID}
		if i := slices.IndexFunc(commits, func(c git.Commit) bool { return c.OID == r.OID }); i >= 0 {
			k.Time, _ = time.Parse(time.RFC3339, commits[i].Time)
			_, body, _ := strings.Cut(commits[i].Message, "\n\n")
			if k.Reason = visible.FirstLine(body); !strings.HasPrefix(commits[i].Subject(), Subject) {
				k.Reason = "undone: " + commits[i].Subject() // a step's own commit
			}
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Kept) int {
		step, n := parseAttempt(a.Name)
		other, m := parseAttempt(b.Name)
		return cmp.Or(strings.Compare(step, other), n-m)
	})
	return out, nil
}

// Names returns the names of the kept attempts of the branch's plan, without reading them.
func Names(ctx context.Context, c *checkout.Checkout) ([]string, error) {
	id, ok := c.PlanID(ctx)
	if !ok {
		return nil, nil
	}
	refs, err := c.Repo.Refs(ctx, journal.AttemptPrefix+id+"/")
	var out []string
	for _, r := range refs {
		out = append(out, strings.TrimPrefix(r.Name, journal.AttemptPrefix+id+"/"))
	}
	return out, err
}

// Find finds a kept attempt by "<step>/<n>" or by its ref.
func Find(ctx context.Context, c *checkout.Checkout, name string) (Kept, error) {
	all, err := All(ctx, c, "")
	if err != nil {
		return Kept{}, err
	}
	for _, k := range all {
		if k.Name == name || k.Ref == name {
			return k, nil
		}
	}
	return Kept{}, fault.New(fault.ErrUnknownAttempt, "there is no kept attempt %s", name)
}

// Prune removes the kept attempts of the plan that are older than age, and returns them;
// after that their commits can only be found by their own names.
func Prune(ctx context.Context, c *checkout.Checkout, age time.Duration) ([]Kept, error) {
	all, err := All(ctx, c, "")
	if err != nil {
		return nil, err
	}
	stashed := Stashed(c, c.Doc.ID).Kept // is nowhere else
	gone := slices.DeleteFunc(all, func(k Kept) bool { return time.Since(k.Time) < age || k.Ref == stashed })
	for i, k := range gone {
		if err := c.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: pruned"); err != nil {
			return gone[:i], err
		}
	}
	return gone, nil
}

// Changed returns what a kept attempt changed.
func Changed(ctx context.Context, r *git.Repo, kept git.Commit) (*git.Diff, error) {
	return git.DiffTrees(ctx, r, ParentOf(kept), kept.OID)
}

// ParentOf returns the commit on which an attempt was made; "" if none.
func ParentOf(kept git.Commit) string {
	if len(kept.Parents) == 0 {
		return ""
	}
	return kept.Parents[0]
}

// Part returns a kept attempt with its changes of some files only, as a commit that no ref has,
// and their paths; "" if there are none.
func Part(ctx context.Context, c *checkout.Checkout, kept git.Commit, asked func(path string) bool) (part git.Commit, paths []string, err error) {
	d, err := Changed(ctx, c.Repo, kept)
	if err != nil {
		return git.Commit{}, nil, err
	}
	var entries []worktree.Entry
	for _, f := range d.Files {
		if f.OldPath != f.Path && f.Status == 'R' && asked(f.OldPath) {
			entries = append(entries, worktree.Entry{Path: f.OldPath})
		}
		switch {
		case !asked(f.Path):
		case f.Status == 'D':
			entries = append(entries, worktree.Entry{Path: f.Path})
		default:
			entries = append(entries, worktree.Entry{Path: f.Path, Mode: f.NewMode, OID: f.NewOID})
		}
	}
	if len(entries) == 0 {
		return git.Commit{}, nil, nil
	}
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	tree, err := worktree.WithEntries(ctx, c.Repo, ParentOf(kept), entries)
	if err != nil {
		return git.Commit{}, nil, err
	}
	who, err := c.Store.Who(ctx)
	if err != nil {
		return git.Commit{}, nil, err
	}
	oid, err := c.Repo.WriteCommit(ctx, tree, kept.Parents, who, who, kept.Message)
	if err != nil {
		return git.Commit{}, nil, err
	}
	part, err = c.Repo.ReadCommit(ctx, oid)
	return part, paths, err
}

// PartNamed returns the part of an attempt that is in some files and folders. It must have changed
// each of them.
func PartNamed(ctx context.Context, c *checkout.Checkout, k Kept, kept git.Commit, names []string) (git.Commit, error) {
	used := map[string]bool{}
	part, _, err := Part(ctx, c, kept, func(path string) (is bool) {
		for _, n := range names {
			if at := strings.TrimSuffix(n, "/"); path == at || strings.HasPrefix(path, at+"/") || at == "." {
				used[n], is = true, true
			}
		}
		return is
	})
	for _, n := range names {
		if err == nil && !used[n] {
			err = fault.New(fault.ErrUnknownAttempt, "attempt %s did not change %s", k.Name, n)
		}
	}
	return part, err
}

// Foreign returns a snapshot of an attempt's files in the work tree if one of them is neither the
// attempt's version (or its beginning) nor that of head (empty: none); else "".
func Foreign(ctx context.Context, r *git.Repo, head string, kept git.Commit, paths []string) (tree string, err error) {
	var there []string
	for _, name := range paths {
		if info, err := os.Lstat(filepath.Join(r.Top, name)); err == nil && !info.IsDir() {
			there = append(there, name)
		}
	}
	if tree, err = worktree.Snapshot(ctx, r, there); err != nil {
		return "", err
	}
	for _, name := range there {
		now, _ := r.Resolve(ctx, tree+":"+name)
		has, _ := r.Read(ctx, kept.Tree+":"+name)
		was := ""
		if head != "" {
			was, _ = r.Resolve(ctx, head+":"+name)
		}
		if now == has.OID || now == was {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(r.Top, path.Clean(name))); err != nil || !bytes.HasPrefix(has.Data, data) {
			return tree, nil
		}
	}
	return "", nil
}
