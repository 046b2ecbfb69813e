package main

import (
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkJobs measures the time of independent steps with several jobs, as a fraction of the time with one,
// and the git processes of a step.
func BenchmarkJobs(b *testing.B) {
	built(b)
	for _, of := range []struct {
		name, session string
		steps, jobs   int
	}{{"8x2s-4", "2", 8, 4}, {"64x0.5s-16", "0.5", 64, 16}} {
		b.Run(of.name, func(b *testing.B) {
			took := map[int]time.Duration{}
			repo := ""
			for b.Loop() {
				if len(took) > 0 { // once is enough
					continue
				}
				for _, jobs := range []int{1, of.jobs} {
					repo = begun(b, 5)
					runGit(b, repo, "config", "planAgent.fake.command", "sleep "+of.session+"; echo $GIT_PLAN_STEP >$GIT_PLAN_STEP.txt")
					planned(b, repo, 2*of.steps, "  - Needs: none\n")
					run := exec.Command("git", "plan", "run", "--no-review", "--jobs", fmt.Sprint(jobs), "--until", fmt.Sprint("s", of.steps))
					run.Dir = repo
					began := time.Now()
					if out, err := run.CombinedOutput(); err != nil {
						b.Fatalf("%v\n%s", err, out)
					}
					took[jobs] = time.Since(began)
				}
			}
			out := traced(b, repo, "plan", "run", "--no-review", "--jobs", fmt.Sprint(of.jobs))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took[of.jobs].Seconds()/took[1].Seconds(), "jobs/one-wall")
			b.ReportMetric(float64(gits(out))/float64(of.steps), "gits/step")
		})
	}
}
