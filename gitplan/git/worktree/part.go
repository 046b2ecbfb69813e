package worktree

import (
	"bytes"
	"context"
	"fmt"

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
		if err := r.Run(ctx, git.Command{Args: []string{"update-index", "-z", "--index-info"}, Env: env, Stdin: &lines}); err != nil {
			return "", err
		}
		return writeTree(ctx, r, env)
	})
}
