package progress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Many commits that each revert the one below: following all of that would never end. Twice as many commits
// take twice the work, on the branch or off it.
func TestHostileRevertsEnd(t *testing.T) {
	work := func(count int, onBranch bool) float64 {
		var commits []git.Commit
		all := map[string]git.Commit{}
		for i := range count {
			below, message := fmt.Sprintf("%040d", i), "x\n\nPlan-Step: p/a\n"
			if i > 0 {
				message = strings.Repeat("This reverts commit "+below+".\n", 100)
			}
			c := git.Commit{OID: fmt.Sprintf("%040d", i+1), Parents: []string{below}, Message: message}
			commits, all[c.OID] = append([]git.Commit{c}, commits...), c
		}
		if !onBranch {
			commits = commits[:1]
		}
		return testing.AllocsPerRun(1, func() {
			progress.From(&plan.Plan{ID: "p", Steps: []plan.Step{{ID: "a"}}}, nil, commits, func(oid string) (git.Commit, bool) {
				c, ok := all[oid]
				return c, ok
			})
		})
	}
	for _, onBranch := range []bool{true, false} {
		if once, twice := work(200, onBranch), work(400, onBranch); twice > 2.3*once {
			t.Errorf("on the branch: %v; twice as many commits are %.1f times the work", onBranch, twice/once)
		}
	}
}

// The braces of a pattern are expanded as long as they stand for few texts.
func TestPatternsWithManyExpansions(t *testing.T) {
	if letters := strings.Repeat("a", 60); plan.MatchesAny([]string{strings.Repeat("{a,aa}", 40) + "b"}, letters) { // would take years
		t.Error(letters)
	}
	for pattern, want := range map[string]bool{
		"src/{a,b}/**/*.{go,ts}":                          true,
		strings.Repeat("*{a,b}", 12):                      false,
		"{" + strings.Repeat("x,", 1<<16) + "src}/a/c.go": false,
		strings.Repeat("**/", 1<<16) + "c.go":             true,
	} {
		if got := plan.MatchesAny([]string{pattern}, "src/a/c.go"); got != want {
			t.Errorf("%.40s: %v", pattern, got)
		}
	}
	if name := strings.Repeat("{a,b}", 9); !plan.MatchesAny([]string{name}, name) {
		t.Error("a file of that very name does not match")
	}
}
