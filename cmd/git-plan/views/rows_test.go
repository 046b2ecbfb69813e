package views

import (
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// In a long plan the first steps that are done are counted, so that what follows fits the screen.
func TestStepsThatAreDoneAreCounted(t *testing.T) {
	states := map[rune]progress.State{'x': progress.StateDone, '.': progress.StateOpen, '!': progress.StateBlocked}
	for _, c := range []struct {
		steps string
		room  int
		want  int
	}{{"xx..", 8, 0}, {"xx..", 3, 2}, {"xxxxxxxxxx..", 6, 7}, {"xx!xxxxx..", 4, 2}, {"x....", 4, 0}, {".....", 3, 0}, {"xxxxx", 3, 3}} {
		var steps []status.Step
		for _, r := range c.steps {
			steps = append(steps, status.Step{State: states[r]})
		}
		if got := counted(steps, c.room); got != c.want {
			t.Errorf("%s in %d rows: %d, want %d", c.steps, c.room, got, c.want)
		}
	}
}
