package place

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

// InTheWay are the files that a change from one commit or tree to another writes where
// files of the person's are in a work tree: git itself would write over those that
// are ignored without a word.
func InTheWay(ctx context.Context, r *git.Repo, s *worktree.Status, from, to string) ([]string, error) {
	written, err := diffs.Written(ctx, r, from, to)
	return overPersons(r.Top, s, written), err
}

// overPersons are those of some paths in the place of which files of the person's are.
func overPersons(top string, s *worktree.Status, written []string) (out []string) {
	person := checkout.InProgress{Ignored: slices.Concat(s.Untracked, s.Ignored)}
	for _, path := range written {
		below := func(p string) bool { return strings.HasPrefix(p, path+"/") }
		if person.Has(inPlaceOf(top, path)) || slices.ContainsFunc(person.Ignored, below) {
			out = append(out, path)
		}
	}
	return out
}

// inPlaceOf is what is in a path's place: itself, or a file or a link above it.
// Nothing is empty.
func inPlaceOf(top, path string) string {
	for at := path; at != "."; at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(top, at)); err == nil && (at == path || !info.IsDir()) {
			return at
		}
	}
	return ""
}
