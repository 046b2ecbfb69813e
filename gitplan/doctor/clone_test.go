package doctor

import (
	"fmt"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
)

// examined examines the clone, as git plan doctor does.
func (w *world) examined() []Symptom {
	w.Helper()
	found, err := ExamineClone(w.Context(), w.open())
	fine(w.T, err)
	return found
}

// note writes the state file of a plan's running task.
func (w *world) note(plan string, note checkout.TaskState) {
	w.Helper()
	fine(w.T, checkout.TaskNote(w.open().Repo, plan, "").Save(note))
}

func TestCleanClone(t *testing.T) {
	w := newWorld(t)
	w.plan("work")
	found := w.examined()
	says(t, found, "sessions", "ok none was interrupted")
	says(t, found, "plans", "ok 1, each with its branch or done")
	for _, s := range found {
		if s.About == "identity" {
			t.Errorf("git knows who works here: %+v", s)
		}
	}
}

// A plan without a branch is listed with the reason, and with what can be done.
func TestPlanWithoutABranch(t *testing.T) {
	w := newWorld(t)
	gone, replaced := w.plan("gone"), w.plan("replaced")
	other := w.plan("other")
	w.git("switch -q main", "branch -q -D gone", "config branch.replaced.plan "+other)
	fix := " => git plan drop %[1]s removes it; git plan attach %[1]s gives it to a branch that has none"
	found := w.examined()
	want := []string{fmt.Sprintf("- %s has no branch: gone is gone"+fix, gone), fmt.Sprintf("- %s has no branch: replaced has another plan"+fix, replaced)}
	if gone > replaced {
		want[0], want[1] = want[1], want[0]
	}
	says(t, found, "plans", want...)
}
