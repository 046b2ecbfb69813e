package rules

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/drawn"
)

// aRepository is a new repository of git with one commit.
func aRepository(t testing.TB) *git.Repo {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "main")
	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	write(t, r, "a.go", "package a\n")
	commitAll(t, r, "Begin")
	return r
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t testing.TB, r *git.Repo, name, text string) {
	t.Helper()
	p := filepath.Join(r.Top, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func do(t testing.TB, r *git.Repo, args ...string) string {
	t.Helper()
	return gitIn(t, r.Top, args...)
}

func commitAll(t testing.TB, r *git.Repo, message string) string {
	t.Helper()
	do(t, r, "add", "-A")
	do(t, r, "commit", "-q", "-m", message)
	return do(t, r, "rev-parse", "HEAD")
}

func lines(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %s:%d", h.Rule, h.Path, h.Line))
	}
	return out
}

// The index, one commit and a range of commits are checked alike.
func TestIndexCommitAndRangeAreChecked(t *testing.T) {
	r := aRepository(t)
	base := do(t, r, "rev-parse", "HEAD")
	token := "gh" + "p_" + drawn.New(t, 1, 9).Fill("{alnum:36}", "")
	write(t, r, "conf.go", "package a\n\nconst key = \""+token+"\"\n")
	do(t, r, "add", "-A")
	want := []string{"secret conf.go:3"}
	check := func(what string, hits []Hit, err error, want []string) {
		t.Helper()
		if diff := cmp.Diff(want, lines(hits)); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", what, err, diff)
		}
	}
	_, hits, err := Of(t.Context(), r, "staged")
	check("the index", hits, err, want)
	added := commitAll(t, r, "fixup! Begin")
	_, hits, err = Of(t.Context(), r, "HEAD")
	check("the commit", hits, err, append([]string{"fixup-commit :0"}, want...))
	write(t, r, "a.py", "# ... rest of the code\n")
	commitAll(t, r, "Look")
	_, hits, err = Of(t.Context(), r, base+"..HEAD")
	check("the range", hits, err, []string{"fixup-commit :0", "elision a.py:1", "secret conf.go:3"})
	_, hits, err = Of(t.Context(), r, added+"..")
	check("its end", hits, err, []string{"elision a.py:1"})
	_, hits, err = Of(t.Context(), r, "HEAD..HEAD")
	check("nothing", hits, err, nil)
	if _, _, err := Of(t.Context(), r, "nowhere..HEAD"); err == nil {
		t.Error("a range that is not there was judged")
	}
}

// A branch that left its base before the base moved on is checked for its own changes only, not for what the
// base removed since.
func TestRangeBeginsAtTheMergeBase(t *testing.T) {
	r := aRepository(t)
	write(t, r, "c.py", "# ... rest of the code\n")
	commitAll(t, r, "Look")
	do(t, r, "checkout", "-q", "-b", "topic")
	write(t, r, "b.go", "package a\n")
	commitAll(t, r, "Add b")
	do(t, r, "checkout", "-q", "-b", "other", "HEAD~1")
	do(t, r, "rm", "-q", "c.py")
	commitAll(t, r, "Look no more")
	_, hits, err := Of(t.Context(), r, "other..topic")
	if err != nil || len(hits) > 0 {
		t.Errorf("%v %v", lines(hits), err)
	}
}

// A hit in the last line of a file that is too large for memory is found, with its line.
func TestLargeFileIsCheckedToItsEnd(t *testing.T) {
	r := aRepository(t)
	var b strings.Builder
	n := 0
	for ; b.Len() < 5<<20; n++ {
		fmt.Fprintf(&b, "value %d of the table\n", n)
	}
	write(t, r, "table.txt", b.String()+"<<<<<<< ours\n=======\n>>>>>>> theirs\n")
	commitAll(t, r, "Add a table")
	hits, err := FindIn(t.Context(), r, "HEAD~1", "HEAD", Change{}, Gate())
	want := []string{fmt.Sprintf("conflict-markers table.txt:%d", n+1)}
	if diff := cmp.Diff(want, lines(hits)); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	d, err := git.DiffTrees(t.Context(), r, "HEAD~1", "HEAD")
	if err != nil || !d.Files[0].Cut {
		t.Fatalf("the file should not fit: %v", err)
	}
	if hits := Find(Change{Diff: d}, Gate()); len(hits) > 0 {
		t.Errorf("the beginning alone shows %v", lines(hits))
	}
}

// Eight times as many changed lines take about eight times as long, including git's part; quadratic time
// would be 64 times.
func TestLinesAreJudgedLinearly(t *testing.T) {
	judged := func(lines int) func() time.Duration {
		r := aRepository(t)
		write(t, r, "big.go", drawn.Code(lines))
		commitAll(t, r, "Add much")
		return func() time.Duration {
			began := time.Now()
			if _, _, err := Of(t.Context(), r, "HEAD"); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
	}
	short, long := judged(4_000), judged(32_000)
	const most, tries = 24, 8
	a, b := short(), long()
	for try := 1; try < tries && b > most*a; try++ { // the machine may be busy: the best of each counts
		a, b = min(a, short()), min(b, long())
	}
	if b > most*a {
		t.Errorf("4,000 lines take %s, 32,000 take %s", a, b)
	}
}

// BenchmarkRules checks changes of a thousand to a million lines, streamed from git, and reports the
// additional peak memory.
func BenchmarkRules(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := aRepository(b)
			write(b, r, "big.go", drawn.Code(n))
			commitAll(b, r, "Add much")
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			stop, peak := make(chan struct{}), make(chan uint64)
			go func() {
				most := uint64(0)
				for tick := time.NewTicker(5 * time.Millisecond); ; {
					select {
					case <-stop:
						peak <- most
						return
					case <-tick.C:
						var now runtime.MemStats
						runtime.ReadMemStats(&now)
						most = max(most, now.HeapAlloc)
					}
				}
			}()
			for b.Loop() {
				if _, hits, err := Of(b.Context(), r, "HEAD"); err != nil || n < 30_000 && len(hits) > 0 {
					b.Fatal(lines(hits), err)
				}
			}
			close(stop)
			b.ReportMetric(float64(max(<-peak, before.HeapAlloc)-before.HeapAlloc)/(1<<20), "peak-MiB")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/line")
		})
	}
}
