package git

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/testdata/repository"
)

// Many differences from one process are the same as from a process each.
func TestManyDifferencesEqualSingleOnes(t *testing.T) {
	ctx, r := t.Context(), opened(t)
	var heads []string
	step := func(message string) { heads = append(heads, repository.Commit(t, message)) }
	repository.Write(t, "a.txt", "one\ntwo\nthree\n")
	step("first")
	repository.Write(t, "a.txt", "one\n2\nthree") // no newline at the end
	repository.Write(t, "b.bin", "\x00\x01binary\x00")
	step("second")
	if err := os.Chmod("a.txt", 0o755); err != nil {
		t.Fatal(err)
	}
	step("mode\n\nand a body\n")
	repository.Ask(t, "mv", "a.txt", "c d.txt")
	step("rename")
	repository.Ask(t, "commit", "-q", "--allow-empty", "-m", "nothing")
	heads = append(heads, repository.Ask(t, "rev-parse", "HEAD"))
	first, _ := r.ReadCommit(ctx, heads[0])
	second, _ := r.ReadCommit(ctx, heads[1])
	// A file that contains the lines that separate differences.
	repository.Write(t, "trap.txt", first.Tree+" "+second.Tree+"\n:100644 100644 x\ndiff --git a/x b/x\n")
	step("trap")
	repository.Ask(t, "rm", "-q", "c d.txt", "b.bin")
	step("removed")

	pairs := [][2]string{}
	for i := range heads {
		c, err := r.ReadCommit(ctx, heads[i])
		if err != nil {
			t.Fatal(err)
		}
		from := ""
		if i > 0 {
			p, _ := r.ReadCommit(ctx, heads[i-1])
			from = p.Tree
		}
		pairs = append(pairs, [2]string{from, c.Tree})
	}
	pairs = append(pairs, [2]string{first.Tree, second.Tree}, [2]string{second.Tree, first.Tree})
	got, err := DiffPairs(ctx, r, pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pairs {
		want, err := DiffTrees(ctx, r, p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got[i]); d != "" {
			t.Errorf("difference %d:\n%s", i, d)
		}
	}
}
