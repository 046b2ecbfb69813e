package work

import (
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// A step that takes too long by its estimate is reported at once and once; with plan.overrun=stop
// its session ends, what it did is kept, and no other one tries it.
func TestAStepThatTakesTooLong(t *testing.T) {
	for _, c := range []struct {
		script, want string
		after        time.Duration
		stop         bool
		attempts     int
	}{
		{"echo 1 >a.txt; sleep 60", "it has taken more than twice its estimate of 30 minutes (plan.overrun=stop)", 4 * time.Second, true, 1}, // time to write the file
		{"echo $GIT_PLAN_ATTEMPT >a.txt; sleep 0.5; exit 1", "exit code 1", 200 * time.Millisecond, false, 2},
	} {
		s := newShop(t, c.script)
		task := s.step("true")
		task.Attempts, task.Overrun = 2, Overrun{After: c.after, Of: "30 minutes", Stop: c.stop}
		out := s.works(task)
		if out.Status != agent.Failed || out.Attempts != c.attempts || !strings.Contains(out.Reason, c.want) || out.Kept == "" {
			t.Errorf("it ended %s after %d attempts: %s, kept as %q", out.Status, out.Attempts, out.Reason, out.Kept)
		}
		reported := 0
		for _, n := range s.Saw {
			if strings.Contains(n.Text, "more than twice its estimate of 30 minutes; git plan replan makes") {
				reported++
			}
		}
		if reported != 1 {
			t.Errorf("it was reported %d times", reported)
		}
	}
}
