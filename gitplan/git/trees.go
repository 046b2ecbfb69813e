package git

import (
	"context"
	"strings"
)

// Tree is a work tree of a repository, and the short name of the branch that it has; "" for none.
type Tree struct{ Dir, Branch string }

// Trees returns all work trees, as git worktree list has them.
func (r *Repo) Trees(ctx context.Context) (out []Tree, err error) {
	said, err := r.Output(ctx, "worktree", "list", "--porcelain")
	for line := range strings.SplitSeq(said, "\n") {
		if dir, ok := strings.CutPrefix(line, "worktree "); ok {
			out = append(out, Tree{Dir: dir})
		} else if branch, ok := strings.CutPrefix(line, "branch refs/heads/"); ok && len(out) > 0 {
			out[len(out)-1].Branch = branch
		}
	}
	return out, err
}
