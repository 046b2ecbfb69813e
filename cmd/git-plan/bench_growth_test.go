package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// growing lists repositories with n of something, for the test (0: not in it) and for the benchmark.
var growing = []struct {
	name        string
	test, bench int
	with        func(n int) size
}{
	{"steps", 800, 5000, func(n int) size { return size{steps: n} }},
	{"events", 2500, 50_000, func(n int) size { return size{events: n} }},
	{"branches-and-tags", 750, 2500, func(n int) size { return size{branches: n, looseRefs: n} }},
	{"untracked-and-ignored-files", 1500, 20_000, func(n int) size { return size{untracked: n, ignored: n} }},
	{"tracked-files", 0, 25_000, func(n int) size { return size{files: n} }},
}

// mostGrowth is the allowed ratio of processor time when the size doubles: 2.3 where nothing else runs (make
// bench); a quadratic command has 4.
const mostGrowth = 2.8

// Commands take time linear in the size of the repository, not quadratic.
func TestCommandsAreLinear(t *testing.T) {
	race.Skip(t)
	for _, g := range growing {
		if g.test == 0 {
			continue
		}
		single, twice := beginGrowth(t, g.with(g.test)), beginGrowth(t, g.with(2*g.test))
		single.measure(t)
		for try := 0; ; try++ {
			twice.measure(t)
			command, times := single.worst(twice)
			if times <= mostGrowth {
				break
			}
			if try == 4 { // the minimum of several, since other programs run
				t.Errorf("twice as many %s: %s takes %.1f times as long", g.name, command, times)
				break
			}
			single.measure(t)
		}
	}
}

// BenchmarkGrowth reports the largest growth of any command.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growing {
		b.Run(fmt.Sprintf("%s=%d", g.name, 2*g.bench), func(b *testing.B) {
			single, twice := beginGrowth(b, g.with(g.bench)), beginGrowth(b, g.with(2*g.bench))
			for n := 0; b.Loop(); n++ {
				if n < 3 {
					single.measure(b)
					twice.measure(b)
				}
			}
			command, times := single.worst(twice)
			b.Logf("git plan %s grows most: %.0f ms, and %.0f ms of the processor", command, single.least[command], twice.least[command])
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times, "2n/n")
		})
	}
}

// growth is the minimum time of commands in one repository, in milliseconds of processor time.
type growth struct {
	repo  string
	next  int // step
	least map[string]float64
}

func beginGrowth(tb testing.TB, s size) *growth {
	g := &growth{repo: s.make(tb), next: 1, least: map[string]float64{}}
	runGit(tb, g.repo, "init", "-q", "--bare", "../remote.git")
	runGit(tb, g.repo, "remote", "add", "origin", "../remote.git")
	return g
}

// measure runs each command once.
func (g *growth) measure(tb testing.TB) {
	tb.Helper()
	page := filepath.Join(tb.TempDir(), "page.html")
	env := append(os.Environ(), "HOME="+filepath.Dir(g.repo), "GIT_CONFIG_GLOBAL="+filepath.Join(g.repo, "../gitconfig"), "GIT_EDITOR=sed -i 's/^# .*/& x/'")
	for _, args := range [][]string{
		{"status"}, {"show", "--json"}, {"web", "--export", page}, {"lint"}, {"edit"}, {"approve", "--yes"},
		{"step"}, {"run", "--no-review", "--until", fmt.Sprint("s", g.next+3)}, {"push"}, {"fetch"},
	} {
		cmd := exec.Command("git", append([]string{"plan"}, args...)...)
		cmd.Dir, cmd.Env = g.repo, env
		if out, err := cmd.CombinedOutput(); err != nil && args[0] != "lint" {
			tb.Fatalf("git plan %v: %v\n%s", args, err, out)
		}
		if ms, ok := g.least[args[0]]; !ok || milliseconds(cmd) < ms {
			g.least[args[0]] = milliseconds(cmd)
		}
	}
	g.next += 4
}

// worst returns the command whose time grows most compared with another repository.
func (g *growth) worst(in *growth) (command string, times float64) {
	for _, name := range slices.Sorted(maps.Keys(g.least)) {
		if n := in.least[name] / g.least[name]; n > times {
			command, times = name, n
		}
	}
	return command, times
}
