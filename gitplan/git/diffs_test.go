package git

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Many differences by one process are what each is by a process of its own, and
// a simple chain read commit by commit is what git log tells.
func TestDiffsAndChainsAreGitsOwn(t *testing.T) {
	ctx := context.Background()
	r := repository(t)
	var heads []string
	step := func(message string) { heads = append(heads, commit(t, message)) }
	write(t, "a.txt", "one\ntwo\nthree\n")
	step("first")
	write(t, "a.txt", "one\n2\nthree") // no newline at the end
	write(t, "b.bin", "\x00\x01binary\x00")
	step("second")
	if err := os.Chmod("a.txt", 0o755); err != nil {
		t.Fatal(err)
	}
	step("mode\n\nand a body\n")
	run(t, r.Top, "mv", "a.txt", "c d.txt")
	step("rename")
	run(t, r.Top, "commit", "-q", "--allow-empty", "-m", "nothing")
	heads = append(heads, run(t, r.Top, "rev-parse", "HEAD"))
	first, _ := r.ReadCommit(ctx, heads[0])
	second, _ := r.ReadCommit(ctx, heads[1])
	// A file whose lines are those that part the differences.
	write(t, "trap.txt", first.Tree+" "+second.Tree+"\n:100644 100644 x\ndiff --git a/x b/x\n")
	step("trap")
	run(t, r.Top, "rm", "-q", "c d.txt", "b.bin")
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
	got, err := r.Diffs(ctx, pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pairs {
		want, err := r.Diff(ctx, p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got[i]); d != "" {
			t.Errorf("difference %d:\n%s", i, d)
		}
	}

	tip := heads[len(heads)-1]
	for _, stop := range []string{"", heads[0], heads[3], tip} {
		args := []string{tip}
		if stop != "" {
			args = append(args, "--not", stop)
		}
		want, err := r.Log(ctx, args...)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := r.Chain(ctx, tip, stop, 100)
		for i := range got {
			got[i].Time, want[i].Time = strings.Replace(got[i].Time, "Z", "+00:00", 1), strings.Replace(want[i].Time, "Z", "+00:00", 1)
			if len(got[i].Parents) == 0 {
				want[i].Parents = nil
			}
		}
		if d := cmp.Diff(want, got); !ok || d != "" {
			t.Errorf("down to %q: %v\n%s", stop, ok, d)
		}
	}
	for name, c := range map[string]struct {
		stop string
		most int
	}{"too long": {"", 3}, "no such end": {strings.Repeat("1", 40), 100}} {
		if _, ok := r.Chain(ctx, tip, c.stop, c.most); ok {
			t.Errorf("%s, and still a chain", name)
		}
	}
	run(t, r.Top, "checkout", "-q", "-b", "side", "HEAD~1")
	run(t, r.Top, "commit", "-q", "--allow-empty", "-m", "side")
	run(t, r.Top, "merge", "-q", "--no-edit", tip)
	if _, ok := r.Chain(ctx, "HEAD", "", 100); ok {
		t.Error("a merge is no chain")
	}
}
