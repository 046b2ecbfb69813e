package git

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/testdata/repository"
)

// Whatever happens to a branch, and to the file that caches its commits, its history is the same as git
// log's: after commits, merges, rewinds, another encoding, and with a file that was truncated, overwritten,
// or written by another branch.
func TestHistoryEqualsGitLogWhateverTheCache(t *testing.T) {
	r, ctx, random := opened(t), t.Context(), rand.New(rand.NewSource(1))
	file := filepath.Join(t.TempDir(), "commits")
	tree := repository.Ask(t, "write-tree")
	commit := func(message string, parents ...string) string {
		who := Identity(fmt.Sprintf("A <a@example.com> %d +0130", 1700000000+random.Intn(1000)))
		oid, err := r.WriteCommit(ctx, tree, parents, who, message)
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	first := commit("first")
	tip, others := first, []string{first}
	for i := range 150 {
		switch n := random.Intn(20); {
		case n == 0:
			tip = others[random.Intn(len(others))]
		case n == 1 && i > 90:
			tip = commit("merge\n\nPlan-Step: a/b\n", tip, others[random.Intn(len(others))])
		case n == 2 && i > 120:
			latin := strings.NewReader(fmt.Sprintf("tree %s\nparent %s\nauthor A <a> 1700000000 +0000\ncommitter A <a> 1700000000 +0000\nencoding ISO-8859-1\n\ngr\xfcn\n", tree, tip))
			var out strings.Builder
			if err := r.Run(ctx, Command{Args: []string{"hash-object", "-w", "-t", "commit", "--stdin"}, Stdin: latin, Stdout: &out}); err != nil {
				t.Fatal(err)
			}
			tip = strings.TrimSpace(out.String())
		default:
			for range random.Intn(12) {
				tip = commit(strings.Repeat("text\n", random.Intn(9))+"end", tip)
			}
		}
		others = append(others, tip)
		switch data, _ := os.ReadFile(file); random.Intn(8) {
		case 0:
			repository.Write(t, file, string(data[:random.Intn(len(data)+1)]))
		case 1:
			repository.Write(t, file, strings.Replace(string(data), "text", "next", 3))
		}
		stop := []string{"", first, others[random.Intn(len(others))], strings.Repeat("1", 40)}[random.Intn(4)]
		order := []string{"--topo-order", "--date-order"}[random.Intn(2)]
		args := []string{order, "--ignore-missing", tip}
		if stop != "" {
			args = append(args, "--not", stop)
		}
		want, err := r.Log(ctx, args...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.History(ctx, file, order, tip, stop)
		plain := func(all []Commit) (out []string) {
			for _, c := range all {
				out = append(out, fmt.Sprint(c.OID, c.Tree, c.Parents, c.Time.Unix(), c.Message))
			}
			return out
		}
		if d := cmp.Diff(plain(want), plain(got)); d != "" || err != nil {
			t.Fatalf("%d: down to %q %v\n%s", i, stop, err, d)
		}
	}
	if data, _ := os.ReadFile(file); len(data) == 0 {
		t.Error("the file keeps nothing")
	}
}
