package worktree

import (
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// The files become those of another tree, including a file in place of a folder; HEAD, the index and
// untracked files stay.
func TestFilesBecomeAnotherTree(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1")
	repository.Write(t, "d/e", "1")
	head := repository.Commit(t, "one")
	two := repository.Ask(t, "hash-object", "-w", "a")
	tree, err := WithEntries(ctx, r, head, []Entry{{Path: "d", Mode: "100644", OID: two}, {Path: "d/e"}, {Path: "a"}})
	if err != nil || repository.Ask(t, "ls-tree", "-r", "--name-only", tree) != "d" {
		t.Fatalf("%s, %v", tree, err)
	}
	repository.Write(t, "a", "changed")
	repository.Write(t, "mine", "m")
	if err := Become(ctx, r, []string{"a"}, tree); err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"a": "", "d": "1", "mine": "m"})
	if repository.Ask(t, "diff", "--cached", "--name-only", head) != "" {
		t.Error("the index has changed")
	}
	if alone, err := WithEntries(ctx, r, "", []Entry{{Path: "x", Mode: "100644", OID: two}}); err != nil || repository.Ask(t, "ls-tree", "--name-only", alone) != "x" {
		t.Errorf("of no tree: %s, %v", alone, err)
	}
}
