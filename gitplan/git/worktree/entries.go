package worktree

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Entry is a file of a tree. One without a mode is not there.
type Entry struct{ Path, Mode, OID string }

// WithEntries returns a tree (empty: none) with some entries replaced or removed.
func WithEntries(ctx context.Context, r *git.Repo, tree string, entries []Entry) (string, error) {
	return inOwnIndex(r, func(index string) (string, error) {
		env := []string{"GIT_INDEX_FILE=" + index}
		if tree != "" {
			if err := r.Run(ctx, git.Command{Args: []string{"read-tree", tree}, Env: env}); err != nil {
				return "", err
			}
		}
		if err := updateEntries(ctx, r, env, entries); err != nil {
			return "", err
		}
		return StagedTree(ctx, r, env...)
	})
}

// Entries returns the files of a tree by their paths, by one git process; none if git cannot read it.
func Entries(ctx context.Context, r *git.Repo, tree string) map[string]Entry {
	out := map[string]Entry{}
	data, _ := r.Bytes(ctx, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", tree)
	for line := range strings.SplitSeq(string(data), "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		if f := strings.Fields(about); len(f) == 3 {
			out[name] = Entry{Path: name, Mode: f[0], OID: f[2]}
		}
	}
	return out
}

// updateEntries replaces or removes entries of the index that env names.
func updateEntries(ctx context.Context, r *git.Repo, env []string, entries []Entry) error {
	var lines bytes.Buffer
	for _, gone := range []bool{true, false} { // a file may be where a folder was
		for _, e := range entries {
			switch {
			case gone && e.Mode == "":
				fmt.Fprintf(&lines, "0 %s\t%s\x00", r.Zero(), e.Path)
			case !gone && e.Mode != "":
				fmt.Fprintf(&lines, "%s %s\t%s\x00", e.Mode, e.OID, e.Path)
			}
		}
	}
	return r.Run(ctx, git.Command{Args: []string{"update-index", "--replace", "-z", "--index-info"}, Env: env, Stdin: &lines})
}
