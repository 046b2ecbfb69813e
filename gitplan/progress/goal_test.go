package progress

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// plannings returns an event for each planning, from the results of Done when: "bench 9, make fails".
func plannings(all ...string) (out []journal.Event) {
	for _, one := range all {
		e := journal.Event{Kind: journal.Planned}
		for _, part := range strings.Split(one, ", ") {
			name, what, _ := strings.Cut(part, " ")
			m := journal.Measured{Command: name, Passed: what == "passes"}
			if name == "bench" {
				m = journal.Measured{Command: "bench # <= 3", Number: what, Passed: what == "3" || what == "2"}
			}
			e.Measured = append(e.Measured, m)
		}
		out = append(out, e)
	}
	return out
}

// A planning brings a goal nearer if a command passes for the first time, or a number is better than ever
// before.
func TestPlanningsWithoutProgress(t *testing.T) {
	for _, c := range []struct {
		want int
		all  []string
	}{
		{0, []string{"bench 9"}},
		{0, []string{"bench 9", "bench 7", "bench 5"}},
		{1, []string{"bench 9", "bench 9"}},
		{2, []string{"bench 9", "bench 7", "bench 8", "bench 7"}},
		{0, []string{"bench 9, make fails", "bench 9, make passes"}},
		{2, []string{"make passes", "make fails", "make passes"}},
		{3, []string{"make fails", "make fails", "make fails", "make fails"}},
		{0, []string{"bench 9", "bench 9", "bench 3"}},
		{1, []string{"bench 2", "bench 9"}},
	} {
		if got := Stalled(plannings(c.all...)); got != c.want {
			t.Errorf("%q: %d in a row, want %d", c.all, got, c.want)
		}
	}
	if got := Stalled(append(plannings("bench 9", "bench 9"), journal.Event{Kind: journal.Replanned, By: journal.ByPerson})); got != 0 {
		t.Errorf("%d in a row after a person said what to try", got)
	}
	events := plannings("bench 9, make fails", "bench 7, make passes", "bench 7, make passes")
	if got := fmt.Sprint(Courses(events)); got != "[bench: fails: 9 -> 7, at most 3 make: passes]" || Plannings(events) != 3 {
		t.Errorf("%s in %d plannings", got, Plannings(events))
	}
}
