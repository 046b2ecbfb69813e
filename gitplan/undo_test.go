package gitplan_test

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/walks"
)

type undoWalker struct{ *walks.Walker }

func newUndoWalker(t *testing.T, steps, script string) *undoWalker {
	return &undoWalker{walks.New(t, steps, script)}
}

// again is the undoWalker as the next command finds it.
func (w *undoWalker) again() *undoWalker { return &undoWalker{walks.Again(w.World)} }

// undo takes the last done step back, and fails the test unless it is the given one.
func (w *undoWalker) undo(want string) gitplan.Undone {
	w.Helper()
	step, taken, err := w.Undo(w.Context())
	w.Fine(err)
	if step.ID != want {
		w.Errorf("it undid %s, want %s", step.ID, want)
	}
	w.World.Clean()
	return taken
}

// The last step is removed from the branch if its commit is the last one; the commit stays reachable. The
// step done before it can be undone next.
func TestLastStepIsUndone(t *testing.T) {
	w := newUndoWalker(t, walks.TwoSteps, walks.Does)
	a := w.Does()
	b := w.Does()
	taken := w.undo("b")
	if w.Head() != a.Commit || taken.Reverts != 0 || w.Git("rev-parse", taken.Kept) != b.Commit {
		t.Errorf("HEAD is at %s, kept is %s", w.Head(), taken.Kept)
	}
	w.Is("a done, b reopened")
	w.undo("a")
	w.Is("a reopened, b reopened")
	_, _, err := w.Undo(t.Context())
	w.Refused(err, fault.ErrNothingLeft, "no step is done that could be undone")
	w = w.again()
	w.Does()
	w.Is("a done, b reopened")
}

// A commit that was pushed, or has later commits, is reverted instead of removed.
func TestStepWithLaterCommitsIsReverted(t *testing.T) {
	for name, c := range map[string]struct {
		before func(w *undoWalker)
		file   string
	}{
		"pushed":             {func(w *undoWalker) { w.Git("update-ref", "refs/remotes/origin/work", "HEAD") }, ""},
		"with later commits": {func(w *undoWalker) { w.Commit("other.txt", "hers\n") }, "hers\n"},
	} {
		w := newUndoWalker(t, walks.TwoSteps, walks.Does)
		a := w.Does()
		c.before(w)
		w = w.again()
		taken := w.undo("a")
		if taken.Reverts != 1 || w.Read("a.txt") != "" || w.Read("other.txt") != c.file || !strings.Contains(w.Git("log", "-1", "--format=%b"), a.Commit) {
			t.Errorf("%s: %+v; the branch is\n%s", name, taken, w.Git("log", "main.."))
		}
		w.Is("a reopened, b open")
	}
}

// Nothing is changed if later commits need the step, if it was merged, or if a file of the person's would be
// overwritten.
func TestStepThatCannotBeUndone(t *testing.T) {
	for name, c := range map[string]struct {
		before func(w *undoWalker)
		kind   error
		says   string
	}{
		"needed":      {func(w *undoWalker) { w.Commit("a.txt", "other words\n") }, fault.ErrBuiltOn, "later commits need what step a did"},
		"overwriting": {func(w *undoWalker) { w.Write("README", "mine\n") }, fault.ErrInTheWay, "README is not tracked, and undoing step a would overwrite it"},
		"dirty":       {func(w *undoWalker) { w.Write("a.txt", "mine\n") }, fault.ErrDirty, "not committed: a.txt"},
		"merged": {func(w *undoWalker) {
			w.Git("switch", "-q", "-c", "side", "main")
			w.Commit("side.txt", "side\n")
			w.Git("switch", "-q", "work")
			w.Git("merge", "-q", "--no-ff", "-m", "merge\n\nPlan-Step: "+w.Plan+"/a", "side")
			w.Commit("after.txt", "after\n")
		}, fault.ErrMerged, "step a was done with a merge"},
	} {
		w := newUndoWalker(t, walks.TwoSteps, walks.Does+"; git rm -q README")
		w.Does()
		c.before(w)
		w = w.again()
		before, tree := w.Head(), w.Git("status", "--porcelain")
		_, _, err := w.Undo(t.Context())
		w.Refused(err, c.kind, c.says)
		if w.Head() != before || w.Git("status", "--porcelain") != tree {
			t.Errorf("%s: something was changed", name)
		}
	}
}

// Undoing a step that a person did in several commits undoes all of them, also those without its trailer.
func TestStepOfSeveralCommitsIsUndone(t *testing.T) {
	w := newUndoWalker(t, walks.TwoSteps, walks.Does)
	start := w.Head()
	_, _, err := w.Next(t.Context(), "")
	w.Fine(err)
	w = w.again()
	w.Commit("one.txt", "one\n")
	w.Commit("two.txt", "two\n")
	_, _, err = w.Done(t.Context(), "")
	w.Fine(err)
	w = w.again()
	taken := w.undo("a")
	if w.Head() != start || w.Git("diff", "--name-only", taken.Kept+"^", taken.Kept) != "one.txt\ntwo.txt" {
		t.Errorf("HEAD is at %s; kept is %s", w.Head(), w.Git("show", "--stat", taken.Kept))
	}
	w.Is("a reopened, b open")
}

// A step without a commit is only reopened.
func TestStepWithoutACommitIsUndone(t *testing.T) {
	w := newUndoWalker(t, "- [ ] Make a {#a}\n  - Run: `true`\n", "true")
	w.Does()
	before := w.Head()
	w.undo("a")
	if e := w.Last(); e.Kind != journal.Reopened || e.Reason != "was undone" || w.Head() != before {
		t.Errorf("the event is %+v", e)
	}
	w.Is("a reopened")
}

// A step that an earlier commit does as well is open again, and so is another step done by the same commits.
func TestOtherUndoneSteps(t *testing.T) {
	w := newUndoWalker(t, walks.TwoSteps, walks.Does)
	w.Does()
	w.Commit("b.txt", "b\n", "Plan-Step: "+w.Plan+"/b\nPlan-Step: "+w.Plan+"/a")
	for _, id := range []string{"b", "a"} {
		w.Happens(w.Worker.Runner, journal.Event{Kind: journal.Done, Steps: []string{id}, Head: w.Head(), Attempt: 1, By: journal.ByAgent}, nil)
	}
	w = w.again()
	w.undo("a")
	w.Is("a reopened, b reopened")
}

// Undo is refused where no step may run.
func TestObstaclesToUndo(t *testing.T) {
	w := newUndoWalker(t, walks.TwoSteps, walks.Does)
	w.Does()
	w.Setenv("GIT_PLAN_DEPTH", "1")
	_, _, err := w.Undo(t.Context())
	w.Refused(err, fault.ErrNested, "")
}
