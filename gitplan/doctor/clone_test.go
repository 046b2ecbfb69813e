package doctor

import (
	"fmt"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// examined looks at the clone, as git plan doctor does, or doctor --fix.
func (w *world) examined(fix bool) []Symptom {
	w.Helper()
	found, err := ExamineClone(w.Context(), w.open(), fix)
	fine(w.T, err)
	return found
}

// note writes what is noted of the task under way at a plan.
func (w *world) note(plan string, note checkout.TaskState) {
	w.Helper()
	data, err := journal.EncodeNote(note)
	fine(w.T, err, checkout.TaskNote(w.open().Repo, plan, "").Write(data))
}

func TestNothingIsLeft(t *testing.T) {
	w := newWorld(t)
	w.plan("work")
	found := w.examined(true)
	says(t, found, "sessions", "ok none was interrupted")
	says(t, found, "plans", "ok 1, each with its branch")
}

// A key that names a plan which is gone is taken away, and others stay.
func TestABranchWhosePlanIsGone(t *testing.T) {
	w := newWorld(t)
	id := w.plan("work")
	w.git("config branch.main.plan gone-1234", "config branch.never.plan gone-1234")
	says(t, w.examined(false), "plans", "- branch main names plan gone-1234, which is gone => git plan doctor --fix removes that key; the branch has no plan either way")
	if bound := w.git("config branch.main.plan"); bound != "gone-1234" {
		t.Errorf("without --fix the key is %q", bound)
	}
	says(t, w.examined(true), "plans", "- branch main names plan gone-1234, which is gone => that key was removed")
	if got := w.open().Attached(); got["main"] != "" || got["work"] != id {
		t.Errorf("attached is %v", got)
	}
	says(t, w.examined(true), "plans", "ok 1, each with its branch")
}

// A plan without a branch says why, and what can be done with it.
func TestAPlanWithoutABranch(t *testing.T) {
	w := newWorld(t)
	gone, replaced := w.plan("gone"), w.plan("replaced")
	other := w.plan("other")
	w.git("switch -q main", "branch -q -D gone", "config branch.replaced.plan "+other)
	fix := " => git plan drop %[1]s removes it; git plan attach %[1]s gives it to a branch that has none"
	found := w.examined(false)
	want := []string{fmt.Sprintf("- %s has no branch: gone is gone"+fix, gone), fmt.Sprintf("- %s has no branch: replaced has another plan"+fix, replaced)}
	if gone > replaced {
		want[0], want[1] = want[1], want[0]
	}
	says(t, found, "plans", want...)

	for _, c := range []struct {
		what     string
		branches map[string]string
		has      bool
	}{
		{"its branch has its key", map[string]string{"work": "p"}, true},
		{"its branch has no key, and will find it", map[string]string{"work": ""}, true},
		{"its branch was renamed", map[string]string{"renamed": "p"}, true},
		{"its branch is gone", map[string]string{"main": ""}, false},
		{"its branch has another plan", map[string]string{"work": "q"}, false},
	} {
		if found := orphan(progress.PlanEvents{Plan: "p", Branch: "work"}, c.branches); (len(found) == 0) != c.has {
			t.Errorf("%s: %v", c.what, found)
		}
	}
}

// A kind of symptom that a clone is full of is cut short.
func TestTooMuchOfOneKind(t *testing.T) {
	w := newWorld(t)
	for i := range mostSymptoms + 3 {
		w.git(fmt.Sprintf("branch b%d", i), fmt.Sprintf("config branch.b%d.plan gone-%d", i, i))
	}
	found := w.examined(false)
	last := found[len(found)-1]
	if n := len(found); last.About != "plans" || last.Text != "and 3 more" || n != mostSymptoms+1+1 {
		t.Errorf("%d symptoms, the last of plans is %+v", n, last)
	}
}
