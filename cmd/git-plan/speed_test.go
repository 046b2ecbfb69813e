package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// place is a repository with a plan of n steps, and an agent that adds a line
// to one file. git finds this test's program as git-plan.
func place(tb testing.TB, steps, files, commits int) string {
	tb.Helper()
	dir := tb.TempDir()
	for k, v := range map[string]string{
		"HOME": dir, "GIT_CONFIG_GLOBAL": filepath.Join(dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_PLAN_DEPTH": "",
	} {
		tb.Setenv(k, v)
	}
	config := "[user]\n\tname = Someone\n\temail = someone@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[plan]\n\tagent = fake\n[planAgent \"fake\"]\n\tcommand = echo $GIT_PLAN_STEP >>work.txt\n"
	write(tb, filepath.Join(dir, "gitconfig"), config)
	repo := filepath.Join(dir, "repo")
	for i := range files {
		write(tb, filepath.Join(repo, fmt.Sprintf("dir%d/file%d.txt", i%50, i)), "x\n")
	}
	write(tb, filepath.Join(repo, "work.txt"), "")
	runGit(tb, repo, "init", "-q")
	runGit(tb, repo, "add", ".")
	runGit(tb, repo, "commit", "-qm", "begin")
	for i := range commits {
		runGit(tb, repo, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("commit ", i))
	}
	var plan strings.Builder
	plan.WriteString("# Many steps\n\n## Steps\n\n")
	for i := range steps {
		fmt.Fprintf(&plan, "- [ ] **Step %d** {#s%d}\n  - Do: add a line\n", i+1, i+1)
	}
	write(tb, filepath.Join(dir, "plan.md"), plan.String())
	runGit(tb, repo, "plan", "new", "-F", filepath.Join(dir, "plan.md"), "--yes")
	return repo
}

func write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func runGit(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A step costs the same few git processes however long the plan, the history
// and the list of files are.
func TestAStepStartsFewGitProcesses(t *testing.T) {
	const most = 9 // between two steps of one run
	var counts []int
	for _, size := range []struct{ steps, files, commits int }{{3, 5, 1}, {60, 400, 40}} {
		repo := place(t, size.steps, size.files, size.commits)
		runGit(t, repo, "plan", "step")
		t.Setenv("GIT_PLAN_TRACE", "1")
		out := runGit(t, repo, "plan", "run", "--no-review", "--until", "s3")
		_, second, _ := strings.Cut(out, "step s2 done")
		between, _, ok := strings.Cut(second, "step s3 done")
		if !ok {
			t.Fatalf("no third step in\n%s", out)
		}
		counts = append(counts, strings.Count(between, ": git "))
		t.Setenv("GIT_PLAN_TRACE", "")
	}
	if counts[0] != counts[1] || counts[0] > most {
		t.Errorf("a step starts %v git processes in a small and a large repository; want the same, at most %d", counts, most)
	}
}

// BenchmarkStart compares the program's start with that of a program which
// only imports the same libraries, and with git's.
func BenchmarkStart(b *testing.B) {
	floor := filepath.Join(b.TempDir(), "floor")
	program := filepath.Join(b.TempDir(), "git-plan")
	for _, build := range [][]string{{floor, "../../testdata/floor"}, {program, "-tags=urfave_cli_no_docs", "."}} {
		args := append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o"}, build...)
		if said, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, said)
		}
	}
	repo := place(b, 1, 5, 1)
	runGit(b, repo, "switch", "-q", "main") // a branch without a plan
	commands := map[string][]string{
		"floor": {floor}, "version": {program, "version"}, "noplan": {program}, "git": {"git", "version"},
		"status": {"git", "status"}, "plan-status": {program, "status"},
	}
	times := interleaved(b, repo, commands, max(b.N, 20))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times["version"]/times["floor"], "version/floor")
	b.ReportMetric(times["noplan"]/times["floor"], "noplan/floor")
	b.ReportMetric(times["version"]/times["git"], "version/git-version")
}

// interleaved runs each command n times in turn and returns medians, in ms.
func interleaved(b *testing.B, dir string, commands map[string][]string, n int) map[string]float64 {
	all := map[string][]float64{}
	for range n {
		for name, args := range commands {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = dir
			began := time.Now()
			_ = cmd.Run()
			all[name] = append(all[name], float64(time.Since(began).Microseconds())/1000)
		}
	}
	medians := map[string]float64{}
	for name, list := range all {
		slices.Sort(list)
		medians[name] = list[len(list)/2]
	}
	return medians
}

// BenchmarkStep is what a step costs besides its session: a run of steps whose
// sessions take no time, compared with plain git add and commit of the same.
func BenchmarkStep(b *testing.B) {
	for _, size := range []struct {
		name           string
		files, commits int
	}{{"small", 5, 1}, {"10000-files", 10000, 1}} {
		b.Run(size.name, func(b *testing.B) {
			n := max(b.N, 10)
			repo := place(b, n+1, size.files, size.commits)
			runGit(b, repo, "plan", "step")
			began := time.Now()
			runGit(b, repo, "plan", "run", "--no-review")
			planned := time.Since(began) / time.Duration(n)
			began = time.Now()
			for i := range n {
				write(b, filepath.Join(repo, "work.txt"), fmt.Sprint("by hand ", i))
				runGit(b, repo, "status", "--porcelain")
				runGit(b, repo, "add", "-u")
				runGit(b, repo, "commit", "-qm", "by hand")
			}
			plain := time.Since(began) / time.Duration(n)
			b.ReportMetric(float64(planned.Microseconds())/1000, "ms/step")
			b.ReportMetric(float64(planned)/float64(plain), "step/status+add+commit")
			b.ReportMetric(0, "ns/op")
		})
	}
}
