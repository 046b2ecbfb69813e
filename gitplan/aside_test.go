package gitplan

import (
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// After a kill, what the step does not name is put aside until a person has put it back; what the
// session left is in the tree until the next step keeps it.
func TestWhatIsPutAside(t *testing.T) {
	w := newWalker(t, "- [ ] A {#a}\n  - Files: `a.txt`\n- [ ] B {#b}\n", does)
	w.killed(started)
	w.Write("mine.txt", "mine\n")
	w = again(w.World)
	if got := LeftInTree(t.Context(), w.Checkout); !slices.Equal(got, []string{"a.txt", "mine.txt"}) {
		t.Errorf("in the tree: %v", got)
	}
	w.Drift = func(d *diffs.Diff, files []string) (out []string) {
		for _, f := range d.Files {
			if !plan.MatchesAny(files, f.Path) {
				out = append(out, f.Path)
			}
		}
		return out
	}
	w.steps("")
	w.Git("show", "HEAD:a.txt")
	aside := PutAside(t.Context(), w.Checkout, w.Drift)
	if len(aside) != 1 || !slices.Equal(aside[0].Files, []string{"mine.txt"}) || w.Read("mine.txt") != "" || LeftInTree(t.Context(), w.Checkout) != nil {
		t.Fatalf("%+v", aside)
	}
	w.Git("show", aside[0].Ref+":mine.txt")
	w.Write("mine.txt", "mine\n")
	if again := PutAside(t.Context(), w.Checkout, w.Drift); again != nil {
		t.Errorf("it is there again: %+v", again)
	}
}
