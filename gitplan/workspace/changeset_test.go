package workspace

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// A tree's changes are compared with the commit at which the task began; a renamed file counts under both
// names.
func TestChangesOfATree(t *testing.T) {
	everywhere(t, func(w *world) {
		tk := w.begin().does("mv a.txt b.txt; echo c >c.txt")
		left, reason := tk.left()
		tree, err := worktree.Stage(t.Context(), tk.Tree(), left.Paths())
		if fine(t, err); reason != "" {
			t.Fatal(reason)
		}
		for range 2 { // the second time it is cached
			change, err := tk.Changeset(t.Context(), tree)
			fine(t, err)
			for path, want := range map[string]bool{"a.txt": true, "b.txt": true, "c.txt": true, "d.txt": false} {
				if change.Touches(path) != want {
					t.Errorf("%s: %v", path, !want)
				}
			}
		}
	})
}
