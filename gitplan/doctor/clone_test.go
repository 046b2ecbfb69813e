package doctor

import (
	"fmt"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// examined looks at the clone, as git plan doctor does.
func (w *world) examined() []Symptom {
	w.Helper()
	found, err := ExamineClone(w.Context(), w.open())
	fine(w.T, err)
	return found
}

// note writes what is noted of the task under way at a plan.
func (w *world) note(plan string, note checkout.TaskState) {
	w.Helper()
	fine(w.T, checkout.TaskNote(w.open().Repo, plan, "").Save(note))
}

func TestNothingIsLeft(t *testing.T) {
	w := newWorld(t)
	w.plan("work")
	found := w.examined()
	says(t, found, "sessions", "ok none was interrupted")
	says(t, found, "plans", "ok 1, each with its branch")
	for _, s := range found {
		if s.About == "identity" {
			t.Errorf("git knows who works here: %+v", s)
		}
	}
}

// A plan without a branch says why, and what can be done with it.
func TestAPlanWithoutABranch(t *testing.T) {
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

	for what, c := range map[string]struct {
		branches map[string]string
		has      bool
	}{
		"its branch has its key":                  {map[string]string{"work": "p"}, true},
		"its branch has no key, and will find it": {map[string]string{"work": ""}, true},
		"its branch was renamed":                  {map[string]string{"renamed": "p"}, true},
		"its branch is gone":                      {map[string]string{"main": ""}, false},
		"its branch has another plan":             {map[string]string{"work": "q"}, false},
	} {
		exists := map[string]bool{}
		for name := range c.branches {
			exists[name] = true
		}
		if found := orphan(progress.PlanEvents{Plan: "p", Branch: "work"}, exists, c.branches); (len(found) == 0) != c.has {
			t.Errorf("%s: %v", what, found)
		}
	}
}
