package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// grown is a repository with a plan of n steps, and an agent that adds a line to one file. git finds this
// test's program as git-plan.
func grown(tb testing.TB, steps, files, commits int) string {
	tb.Helper()
	repo := begun(tb, files)
	for i := range commits {
		runGit(tb, repo, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("commit ", i))
	}
	planned(tb, repo, steps, "")
	return repo
}

// begun is a repository with one commit, in a world of its own.
func begun(tb testing.TB, files int) string {
	tb.Helper()
	built(tb) // first: a world has another home, and so another module cache
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
	return repo
}

// planned gives a repository an approved plan on its own branch. more are further lines of each step.
func planned(tb testing.TB, repo string, steps int, more string) {
	tb.Helper()
	var plan strings.Builder
	plan.WriteString("# Many steps\n\n## Steps\n\n")
	for i := range steps {
		fmt.Fprintf(&plan, "- [ ] **Step %d** {#s%d}\n  - Do: add a line\n%s", i+1, i+1, more)
	}
	file := filepath.Join(repo, "..", "plan.md")
	write(tb, file, plan.String())
	runGit(tb, repo, "plan", "new", "-F", file, "--yes")
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

// A step takes the same few git processes however long the plan, the history and the list of files are. The
// supervisor of its session adds one.
func TestStepStartsFewGitProcesses(t *testing.T) {
	const most, inClone = 9, 13 // between two steps of one run
	repo := grown(t, 3, 5, 1)
	runGit(t, repo, "config", "plan.isolation", "clone")
	runGit(t, repo, "plan", "step")
	if n := gitsOfStep(t, repo, "s3"); n > inClone {
		t.Errorf("a step in a clone starts %d git processes; want at most %d", n, inClone)
	}
	var counts []int
	for _, size := range []struct{ steps, files, commits int }{{3, 5, 1}, {60, 400, 40}} {
		repo := grown(t, size.steps, size.files, size.commits)
		runGit(t, repo, "plan", "step")
		counts = append(counts, gitsOfStep(t, repo, "s3"))
	}
	if counts[0] != counts[1] || counts[0] > most {
		t.Errorf("a step starts %v git processes in a small and a large repository; want the same, at most %d", counts, most)
	}
}

// With several jobs, each step takes as few, including the start of the run and the rebase onto other steps'
// commits.
func TestParallelStepStartsFewGitProcesses(t *testing.T) {
	const steps, most = 6, 21 // and the supervisor of each session
	repo := begun(t, 5)
	runGit(t, repo, "config", "planAgent.fake.command", "echo it >$GIT_PLAN_STEP.txt")
	planned(t, repo, steps, "  - Needs: none\n")
	if n := gits(traced(t, repo, "plan", "run", "--no-review", "--jobs", "3")); n > steps*most {
		t.Errorf("%d steps side by side start %d git processes; want at most %d each", steps, n, most)
	}
}

// gitsOfStep runs up to the named step and counts the git processes between the end of the step before it and
// its own.
func gitsOfStep(tb testing.TB, repo, step string) int {
	tb.Helper()
	out := traced(tb, repo, "plan", "run", "--no-review", "--until", step)
	before, _, ok := strings.Cut(out, "step "+step+" done")
	at := strings.LastIndex(before, " done: ")
	if !ok || at < 0 {
		tb.Fatalf("the steps around %s were not done in\n%s", step, out)
	}
	return gits(before[at:])
}

// traced is git's trace and everything that the program prints about the processes that it starts.
func traced(tb testing.TB, repo string, args ...string) string {
	tb.Helper()
	defer os.Unsetenv("GIT_PLAN_TRACE")
	os.Setenv("GIT_PLAN_TRACE", "1")
	return runGit(tb, repo, args...)
}

func gits(trace string) int { return strings.Count(trace, ": git ") }
