package doctor

import (
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
	fine(w.T, checkout.TaskIn(w.open().Repo, plan, "").Note().Save(note))
}

func TestCleanClone(t *testing.T) {
	w := newWorld(t)
	w.plan("work")
	found := w.examined()
	says(t, found, "sessions", "ok none was interrupted")
	for _, s := range found {
		if s.About == "identity" {
			t.Errorf("git knows who works here: %+v", s)
		}
	}
}
