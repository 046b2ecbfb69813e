package progress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// A person reads which steps could not be at work at once, and what to write if they could be.
func TestWhatKeepsStepsApart(t *testing.T) {
	needs := func(most int, step string) string {
		return fmt.Sprintf("side by side: at most %d by what they need; without Needs a step needs the one above it, as %s does: write `Needs: none` if it needs none", most, step)
	}
	for _, row := range []struct {
		steps string // ID=STATE:NEEDS:FILE; "-" says nothing of needs
		jobs  int
		want  []string
	}{
		{"a=open:- b=open:- c=open:-", 4, []string{needs(1, "b")}},
		{"a=open:none b=open:a c=open:b", 4, []string{"side by side: at most 1 by what they need"}},
		{"a=open:none b=open:none c=open:-", 0, []string{needs(2, "c")}},
		{"a=open:none b=open:none c=open:a d=open:b", 4, []string{"side by side: at most 2 by what they need"}},
		{"a=open:none b=open:none c=open:a d=open:b", 2, nil},
		{"a=open:none b=open:none c=open:none", 4, nil},
		{"a=done:- b=done:- c=open:-", 4, nil},
		{"a=done:- b=blocked:- c=open:a d=open:a", 4, []string{}},
		{"a=open:none:x.go b=open:none:*.go c=open:none:y.md", 4, []string{"side by side: b waits for a, since both may write *.go"}},
		{"a=open:none:x b=open:none:x c=open:none:x d=open:none:x e=open:none:x", 4, []string{
			"side by side: b waits for a, since both may write x", "side by side: c waits for a, since both may write x",
			"side by side: d waits for a, since both may write x",
		}},
	} {
		text, states := "# P\n\n## Steps\n\n", map[string]progress.StepState{}
		for word := range strings.FieldsSeq(row.steps) {
			id, rest, _ := strings.Cut(word, "=")
			parts := strings.Split(rest+":", ":")
			text += fmt.Sprintf("- [ ] **%s** {#%s}\n", id, id)
			if parts[1] != "-" {
				text += "  - Needs: " + parts[1] + "\n"
			}
			if parts[2] != "" {
				text += "  - Files: `" + parts[2] + "`\n"
			}
			states[id] = progress.StepState{State: progress.State(parts[0])}
		}
		pl, err := plan.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := (&progress.Progress{Steps: states}).Beside(pl, plan.Unapproved{}, nil).Lines(row.jobs)
		if len(got)+len(row.want) > 0 && !cmp.Equal(row.want, got) {
			t.Errorf("%s, %d jobs: %s", row.steps, row.jobs, cmp.Diff(row.want, got))
		}
	}
}
