package place

import (
	"errors"
	"fmt"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// What a tree changes is asked against the commit at which the task began; a renamed file is touched
// under both names.
func TestWhatATreeChanges(t *testing.T) {
	everywhere(t, func(w *world) {
		tk := w.begin().does("mv a.txt b.txt; echo c >c.txt")
		left, reason := tk.left()
		tree, err := worktree.Stage(t.Context(), tk.Tree(), left.Paths())
		if fine(t, err); reason != "" {
			t.Fatal(reason)
		}
		for range 2 { // the second time it is known
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

// A git of ours that met what nobody can read fails the attempt; one elsewhere, or after the commit, is an error.
func TestAGitThatCouldNotGoOn(t *testing.T) {
	w := newWorld(t)
	p, err := Ready(t.Context(), w.site)
	fine(t, err)
	here := fmt.Errorf("status: %w", &git.Barred{Top: w.dir})
	for name, c := range map[string]struct {
		err    error
		commit string
		fails  bool
	}{
		"here":             {here, "", true},
		"after the commit": {here, "1234", false},
		"elsewhere":        {&git.Barred{Top: t.TempDir()}, "", false},
		"something else":   {errors.New("no"), "", false},
	} {
		out := Ending{Status: agent.Done, Commit: c.commit}
		if got := p.NotBarred(t.Context(), &out, c.err); (got == nil) != c.fails || (out.Status == agent.Failed) != c.fails {
			t.Errorf("%s: %v, %s %s", name, got, out.Status, out.Reason)
		}
	}
}
