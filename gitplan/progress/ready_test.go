package progress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Steps whose needs are met may run in parallel, but not two that write the same file.
func TestReady(t *testing.T) {
	for _, row := range []struct{ steps, atWork, want string }{
		{"a:open b:open c:open", "", "a b c"},
		{"a:open b:open:a c:open", "", "a c"},
		{"a:open b:open:a c:open", "a", "c"},
		{"a:done b:open:a c:blocked d:open:c", "", "b"},
		{"a:open=x.go b:open=x.go c:open=y.go", "", "a c"},
		{"a:open=x.go b:open=*.go c:open=y.txt", "a", "c"},
		{"a:open=src/** b:open=src/a/*.go c:open=docs/*.md", "", "a c"},
		{"a:reopened b:skipped c:running", "", "a"},
	} {
		p, at, busy := &plan.Plan{}, &progress.Progress{Steps: map[string]progress.StepState{}}, map[string]bool{}
		for _, word := range strings.Fields(row.steps) {
			word, files, _ := strings.Cut(word, "=")
			parts := strings.Split(word, ":")
			s := plan.Step{ID: parts[0], Needs: parts[2:]}
			if files != "" {
				s.Files = []string{files}
			}
			p.Steps = append(p.Steps, s)
			at.Steps[s.ID] = progress.StepState{State: progress.State(parts[1])}
		}
		for _, id := range strings.Fields(row.atWork) {
			busy[id] = true
		}
		var got []string
		for _, s := range at.Ready(p, plan.Unapproved{}, busy) {
			got = append(got, s.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(strings.Fields(row.want)) {
			t.Errorf("%s while %q runs: %v, want %s", row.steps, row.atWork, got, row.want)
		}
	}
}
