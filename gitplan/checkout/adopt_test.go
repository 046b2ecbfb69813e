package checkout

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// In a clone with the branch and the plan, but no key, the branch finds its plan if its own commits name it.
// Otherwise the plan belongs to an earlier branch of that name.
func TestBranchFindsItsPlan(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(*world) // in the repository that is cloned, which has a plan of two steps
		after  func(*world) // in the clone
		found  bool
	}{
		{"nothing is done, and the branch is at the plan's start", nil, nil, true},
		{"nothing is done, and the branch is elsewhere", nil, func(w *world) {
			w.git("switch -q main")
			w.commit("other", "")
			w.git("branch -q --unset-upstream work", "branch -q -f work main", "update-ref -d refs/remotes/origin/work", "switch -q work")
		}, false},
		{"nothing is done but a person's commits", func(w *world) { w.commit("own", "") }, nil, false},
		{"one step is done", func(w *world) { w.does("a") }, nil, true},
		{"one step is done and merged", func(w *world) {
			w.does("a")
			w.git("branch -q -f main work")
		}, nil, true},
		{"all is done", func(w *world) { w.does("a"); w.does("b") }, nil, true},
		{"all is done and merged, and the branch is a new one", func(w *world) {
			w.does("a")
			w.does("b")
			w.git("branch -q -f main work")
		}, nil, false},
		{"all is done, but the branch is a new one without it", func(w *world) { w.does("a"); w.does("b") }, func(w *world) {
			w.git("switch -q main", "branch -q -D work", "update-ref -d refs/remotes/origin/work", "switch -q -c work")
		}, false},
		{"done steps are rebased", func(w *world) {
			w.does("a")
			w.git("commit -q --amend --no-edit --date 2001-01-01T00:00:00Z")
		}, nil, true},
		{"done steps are not pulled", func(w *world) { w.does("a") }, func(w *world) { w.git("reset -q --hard HEAD~") }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			id := w.plan()
			if c.before != nil {
				c.before(w)
			}
			clone := w.clone("work")
			if c.after != nil {
				c.after(clone)
			}
			co := clone.open()
			if err := co.Load(t.Context()); c.found {
				fine(t, err)
				if bound, _ := clone.open().Bound(); bound != id || co.Doc.ID != id {
					t.Errorf("attached is %q, loaded is %s, want %s", bound, co.Doc.ID, id)
				}
			} else {
				refused(t, err, fault.ErrPlanOfOld, "plan "+id+" names it, but its work is not on it")
				if co.Doc != nil || co.Progress != nil {
					t.Error("the plan is loaded")
				}
			}
		})
	}
}

// For a branch without a plan, the branches that have one are listed, or where one may be.
func TestBranchWithoutAPlan(t *testing.T) {
	w := newWorld(t)
	w.git("switch -q -c none")
	refused(t, w.open().Load(t.Context()), fault.ErrNoPlan, "branch none has no plan")

	id := w.plan()
	w.git("switch -q none", "config branch.none.plan gone-1234")
	refused(t, w.open().Load(t.Context()), fault.ErrOtherBranches, "branch none has no plan (gone-1234, which it had, is gone); these have: work")

	for _, name := range []string{"w1", "w2", "w3"} {
		w.git("switch -q -c " + name + " main")
		w.planWith(twoSteps)
	}
	w.git("switch -q none")
	refused(t, w.open().Load(t.Context()), fault.ErrOtherBranches, "these have: w1, w2, w3 and 1 more")

	w.git("switch -q main")
	clone := w.clone("none") // one of its plans may be at the remote
	refused(t, clone.open().Load(t.Context()), fault.ErrPlanPushed, "branch none has no plan here")
	clone.git("switch -q main")
	refused(t, clone.open().Load(t.Context()), fault.ErrOtherBranches, "branch main has no plan; these have: ")

	clone.git("switch -q --detach")
	refused(t, clone.open().Load(t.Context()), fault.ErrDetached, "HEAD is detached")
	c := clone.open()
	fine(t, c.LoadFor(t.Context(), id))
	if c.Doc.ID != id || states(c) != "a open, b open" {
		t.Errorf("loaded %s: %s", c.Doc.ID, states(c))
	}
}
