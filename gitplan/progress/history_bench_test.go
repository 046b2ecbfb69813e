package progress_test

import (
	"fmt"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// longHistory returns a plan of 1,000 steps, done on a branch of 10,000 commits that merged its base 500
// times, with a revert of every twentieth step and a revert of that.
func longHistory() (*plan.Plan, []journal.Event, []git.Commit) {
	const steps, total = 1_000, 10_000
	p := &plan.Plan{ID: "p"}
	var events []journal.Event
	var commits []git.Commit
	tip, base := "", ""
	add := func(message string, parents ...string) string {
		oid := fmt.Sprintf("%040x", len(commits)+1)
		commits = append(commits, git.Commit{OID: oid, Parents: parents, Message: message})
		return oid
	}
	tip = add("begin\n")
	base = tip
	for i := 0; len(commits) < total; i++ {
		switch id := fmt.Sprint("s", i/8); {
		case i%20 == 0:
			base = add("on the base\n", base)
			tip = add("Merge branch 'main'\n", tip, base)
		case i%8 == 1 && i/8 < steps:
			p.Steps = append(p.Steps, plan.Step{ID: id})
			tip = add("Step "+id+"\n\nSome words of a body,\nin two lines.\n\nPlan-Step: p/"+id+"\n", tip)
			events = append(events, journal.Event{Kind: journal.Done, Steps: []string{id}, Head: tip})
		case i%160 == 2:
			tip = add("Revert \"Step\"\n\nThis reverts commit "+tip+".\n", tip)
		case i%160 == 3:
			tip = add("Reapply \"Step\"\n\nThis reverts commit "+tip+".\n", tip)
		default:
			tip = add("Something else\n\nSome words of a body,\nin two lines.\n", tip)
		}
	}
	newest := make([]git.Commit, 0, len(commits))
	for i := range commits {
		newest = append(newest, commits[len(commits)-1-i])
	}
	return p, events, newest
}

func BenchmarkDerive(b *testing.B) {
	plan, events, commits := longHistory()
	gone := func(string) (git.Commit, bool) { return git.Commit{}, false }
	b.ReportAllocs()
	for b.Loop() {
		if p := progress.From(plan, events, commits, gone); p.Done != len(plan.Steps) {
			b.Fatalf("%d of %d steps are done", p.Done, len(plan.Steps))
		}
	}
}
