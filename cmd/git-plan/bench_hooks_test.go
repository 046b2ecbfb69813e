package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// passed records that a review passed the commits of the branch.
func passed(tb testing.TB, repo string) {
	tb.Helper()
	ctx := context.Background()
	tb.Chdir(repo)
	c, err := checkout.Open(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	tree := func(rev string) string { return strings.TrimSpace(runGit(tb, repo, "rev-parse", rev+"^{tree}")) }
	all, err := reviewers.Configured(ctx, c, "main", nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	j := ledger.Judgeable{BaseTree: tree("main"), HeadTree: tree("HEAD"), Reviewers: panel.Digest(all), BlockOn: finding.High}
	if c.Load(ctx) == nil {
		j.Meaning = c.Doc.Plan.Digest()
	}
	err = ledger.SaveVerdict(integrity.VerdictDir(c.Repo), j, &ledger.Verdict{Schema: 1, End: ledger.Clean})
	if err != nil {
		tb.Fatal(err)
	}
}

// pushes are branches that are pushed to a local repository: with a verdict that passes, without a plan and
// with a finished one; and 10,000 lines without a verdict.
var pushes = []struct {
	name    string
	prepare func(tb testing.TB, repo string)
}{
	{"noplan", func(tb testing.TB, repo string) {
		runGit(tb, repo, "switch", "-qc", "work")
		for i := range 3 {
			write(tb, filepath.Join(repo, fmt.Sprint("new", i)), "x\n")
			runGit(tb, repo, "add", ".")
			runGit(tb, repo, "commit", "-qm", "work")
		}
		passed(tb, repo)
	}},
	{"plan", func(tb testing.TB, repo string) {
		runGit(tb, repo, "config", "planAgent.fake.command", "echo $GIT_PLAN_STEP >$GIT_PLAN_STEP.txt")
		planned(tb, repo, 3, "")
		runGit(tb, repo, "plan", "run", "--no-review")
		runGit(tb, repo, "branch", "-m", "work")
		runGit(tb, repo, "plan", "push", "origin")
		passed(tb, repo)
	}},
	{"rules", func(tb testing.TB, repo string) {
		runGit(tb, repo, "switch", "-qc", "work")
		write(tb, filepath.Join(repo, "big.go"), "package big\n"+strings.Repeat("var A = strings.Repeat(`a word and another`, 17)\n", 10_000))
		runGit(tb, repo, "add", ".")
		runGit(tb, repo, "commit", "-qm", "work")
	}},
}

// toPush is a repository with hooks, and with a remote that has main.
func toPush(tb testing.TB, prepare func(tb testing.TB, repo string)) string {
	tb.Helper()
	repo := begun(tb, 5)
	runGit(tb, repo, "init", "-q", "--bare", "../remote.git")
	runGit(tb, repo, "remote", "add", "origin", filepath.Join(repo, "../remote.git"))
	runGit(tb, repo, "push", "-q", "origin", "main")
	prepare(tb, repo)
	runGit(tb, repo, "plan", "hooks", "install")
	return repo
}

// BenchmarkPush measures what the gate adds to a push.
func BenchmarkPush(b *testing.B) {
	built(b)
	for _, p := range pushes {
		b.Run(p.name, func(b *testing.B) {
			repo := toPush(b, p.prepare)
			push := []string{"git", "push", "-q", "origin", "work"}
			back := func() { runGit(b, repo, "push", "-q", "--no-verify", "origin", ":work") }
			times := medians{}
			for b.Loop() {
				times.run(b, repo, "with", push...)
				back()
				times.run(b, repo, "without", append(push, "--no-verify")...)
				back()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times.of("with")-times.of("without"), "ms/more")
			b.ReportMetric(times.of("with")/times.of("without"), "with/without")
			b.ReportMetric(float64(gits(traced(b, repo, push[1:]...))), "gits")
		})
	}
}

// A push of reviewed commits starts five git processes, however many commits it contains.
func TestPassedPushStartsFewGitProcesses(t *testing.T) {
	for _, p := range pushes[:2] {
		repo := toPush(t, p.prepare)
		out := traced(t, repo, "push", "-q", "origin", "work")
		if n := gits(out); n > 5 || strings.Contains(out, "git plan:") {
			t.Errorf("%s: %d git processes:\n%s", p.name, n, out)
		}
	}
}

// BenchmarkRebase compares a rebase of 100 commits with our hooks to one with empty shell scripts as hooks:
// where no branch has a plan, and on a branch whose plan has three done steps.
func BenchmarkRebase(b *testing.B) {
	built(b)
	for _, name := range []string{"noplan", "plan"} {
		b.Run(name, func(b *testing.B) {
			repo := begun(b, 5)
			if name == "plan" {
				runGit(b, repo, "config", "planAgent.fake.command", "echo $GIT_PLAN_STEP >$GIT_PLAN_STEP.txt")
				planned(b, repo, 3, "")
				runGit(b, repo, "plan", "run", "--no-review")
			} else {
				runGit(b, repo, "switch", "-qc", "work")
			}
			for i := range 100 {
				runGit(b, repo, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("commit ", i))
			}
			empty := filepath.Join(repo, ".git/empty")
			for _, h := range install.All() {
				write(b, filepath.Join(empty, h.Name), "#!/bin/sh\n")
				_ = os.Chmod(filepath.Join(empty, h.Name), 0o755)
			}
			runGit(b, repo, "plan", "hooks", "install")
			times := medians{}
			for b.Loop() {
				times.run(b, repo, "with", "git", "rebase", "-q", "--force-rebase", "main")
				times.run(b, repo, "empty", "git", "-c", "core.hooksPath="+empty, "rebase", "-q", "--force-rebase", "main")
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times.of("empty"), "ms/empty")
			b.ReportMetric(times.of("with")/times.of("empty"), "with/empty-wall")
			if _, err := exec.Command("git", "-C", repo, "rev-parse", "--verify", "HEAD~100").CombinedOutput(); err != nil {
				b.Error("the commits are gone")
			}
		})
	}
}
