package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// reviewed is a repository with a plan whose step is done, and reviewers that answer after so many seconds.
func reviewed(b *testing.B, files int, seconds float64) string {
	repo := grown(b, 1, files, 1)
	answer := filepath.Join(repo, "..", "reviewer.sh")
	write(b, answer, fmt.Sprintf("sleep %g\n", seconds)+`printf '{"nonce":"%s","covered":["work.txt"],"findings":[]}' "$GIT_PLAN_NONCE"`+"\n")
	runGit(b, repo, "config", "planAgent.judge.command", "sh "+answer)
	runGit(b, repo, "config", "plan.reviewer.agent", "judge")
	runGit(b, repo, "plan", "run", "--no-review")
	return repo
}

// BenchmarkReviewKnown is a review of a branch that was reviewed before: the answer is its verdict. Wanted:
// under 50 ms, and no session.
func BenchmarkReviewKnown(b *testing.B) {
	built(b)
	for _, files := range []int{5, 20000} {
		b.Run(fmt.Sprint("files=", files), func(b *testing.B) {
			repo := reviewed(b, files, 0)
			runGit(b, repo, "plan", "review")
			runGit(b, repo, "status") // the index knows all files
			times := medians{}
			for b.Loop() {
				times.run(b, repo, "git status", "git", "status")
				times.run(b, repo, "known", "git", "plan", "review")
			}
			trace := traced(b, repo, "plan", "review")
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times.of("known"), "ms/review")
			b.ReportMetric(times.of("known")/times.of("git status"), "review/git-status")
			b.ReportMetric(float64(gits(trace)), "gits/review")
			if strings.Contains(trace, "reviewer.sh") {
				b.Error("a reviewer was started")
			}
		})
	}
}

// BenchmarkRound is a review by five reviewers that take two seconds each. Wanted: under 2.5 s, since they
// run in parallel.
func BenchmarkRound(b *testing.B) {
	built(b)
	repo := reviewed(b, 100, 2)
	runGit(b, repo, "config", "plan.reviewers", "quality,fidelity,testing,documentation,security")
	began := time.Now()
	out := runGit(b, repo, "plan", "review")
	took := time.Since(began)
	if !strings.Contains(out, "clean after 1 round") {
		b.Fatal(out)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took.Seconds(), "s/round")
}
