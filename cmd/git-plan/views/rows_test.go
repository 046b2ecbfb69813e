package views

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// A long plan fits the screen: what needs attention has a row, and so has what is near the next
// step; the rest is counted by state.
func TestStepsAreFolded(t *testing.T) {
	states := map[rune]progress.State{
		'x': progress.StateDone, '.': progress.StateOpen, '!': progress.StateBlocked, '-': progress.StateSkipped, '>': progress.StateRunning,
	}
	for _, c := range []struct {
		steps string
		room  int
		want  string
	}{
		{"xx..", 8, "1 2 3 4"},
		{"xxxxxxxxxx..........", 6, "1-9 10 11 12 13 14-20"},
		{"xxxx!xxxxx..........", 8, "1-4 5 6-9 10 11 12 13 14-20"},
		{"xxxxxxxxxxxxxxxxxxxx", 6, "1-15 16 17 18 19 20"},
		{strings.Repeat(".", 20), 5, "1 2 3 4 5-20"},
		{"xxxxxxxx>...........", 6, "1-8 9 10 11 12 13-20"},
		{"!!!!!!!!!!..........", 4, "1 2 3 4 5 6 7 8 9 10 11-20"},
	} {
		var steps []status.Step
		for _, r := range c.steps {
			steps = append(steps, status.Step{State: states[r]})
		}
		var got []string
		for _, r := range folded(steps, c.room) {
			if r.from == r.to {
				got = append(got, fmt.Sprint(r.from+1))
			} else {
				got = append(got, fmt.Sprintf("%d-%d", r.from+1, r.to+1))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s in %d rows: %s, want %s", c.steps, c.room, strings.Join(got, " "), c.want)
		}
	}
}
