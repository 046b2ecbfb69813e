package persons

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// InTheWay returns the files of the person's that a change from one commit or tree to another
// would overwrite in a work tree: git itself overwrites those that are ignored without a word.
func InTheWay(ctx context.Context, r *git.Repo, s *worktree.Status, from, to string) ([]string, error) {
	written, err := diffs.Written(ctx, r, from, to)
	return Over(r.Top, s, written), err
}

// Over returns those of some paths whose place is taken by files of the person's.
func Over(top string, s *worktree.Status, written []string) (out []string) {
	person := checkout.InProgress{Ignored: slices.Concat(s.Untracked, s.Ignored)}
	for _, path := range written {
		below := func(p string) bool { return strings.HasPrefix(p, path+"/") }
		if person.Has(inPlaceOf(top, path)) || slices.ContainsFunc(person.Ignored, below) {
			out = append(out, path)
		}
	}
	return out
}

// inPlaceOf returns what takes a path's place: the path itself, or a file or a link above it; ""
// if nothing does.
func inPlaceOf(top, path string) string {
	for at := path; at != "."; at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(top, at)); err == nil && (at == path || !info.IsDir()) {
			return at
		}
	}
	return ""
}
