package work

import (
	"strings"
	"testing"
	"time"
)

// A step that takes too long by its estimate is reported at once and once.
func TestAStepThatTakesTooLong(t *testing.T) {
	s := newShop(t, "echo $GIT_PLAN_ATTEMPT >a.txt; sleep 0.5; exit 1")
	task := s.step("true")
	task.Attempts, task.Overrun = 2, Overrun{After: 200 * time.Millisecond, Of: "30 minutes"}
	if out := s.works(task); out.Attempts != 2 {
		t.Errorf("it ended %s after %d attempts: %s", out.Status, out.Attempts, out.Reason)
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
