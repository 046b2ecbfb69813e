package work_test

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/walks"
)

const judged = "- [ ] Make a {#a}\n  - Check: `test -f a.txt`\n- [ ] Make b {#b}\n\n## Checks\n\n- `test ! -e red`\n- `test -f later`\n"

// accept accepts a check of the plan as failing.
func accept(w *walks.Walker, name string) (why string, err error) {
	return w.Baseline(w.Context(), name)
}

// A check of the plan that fails before any work stops a step before it begins, and before its session; once
// accepted it may fail, until it passes.
func TestAcceptedChecks(t *testing.T) {
	w := walks.New(t, judged, walks.Does)
	_, _, err := w.Step(t.Context(), "")
	w.Refused(err, fault.ErrBaseline, "`test -f later` exited with 1")
	if w.Count(journal.SessionStart) != 0 || w.Last().Step() != "" {
		t.Fatalf("%d sessions; the last event is %+v", w.Count(journal.SessionStart), w.Last())
	}
	_, err = accept(w, "1")
	w.Refused(err, fault.ErrUnknownCheck, "passes, so there is nothing to accept")
	_, err = accept(w, "no such")
	w.Refused(err, fault.ErrUnknownCheck, "the plan has no check no such")
	for _, name := range []string{"2", "test -f later"} {
		_, err = accept(w, name)
		w.Fine(err)
	}
	if w.Last().Kind != journal.Accepted || w.Last().Check != "test -f later" {
		t.Errorf("the last event is %+v", w.Last())
	}
	w = walks.Again(w.World)
	w.Does()
	w.Is("a done, b open")

	// A person makes it pass: it is required from then on.
	w.Commit("later", "x\n")
	w = walks.Again(w.World)
	w.Does()
	w.Git("rm", "-q", "later")
	w.Git("commit", "-qm", "Gone")
	w = walks.Again(w.World)
	if _, err = accept(w, "2"); err != nil || w.Last().Kind != journal.Accepted {
		t.Errorf("%v; the last event is %+v", err, w.Last())
	}
}

// Results for a known tree are reused. Files that checks wrote before any work are removed: the step commits
// its own session's work only.
func TestResultsOfBaselineChecksAreKept(t *testing.T) {
	w := walks.New(t, "- [ ] Make a {#a}\n  - Files: a.txt\n\n## Checks\n\n- `test -s a.txt || echo junk >a.txt`\n- `test -e b.txt || echo junk >>README`\n", "grep -q junk README a.txt || echo fine >a.txt; echo b >b.txt")
	for _, want := range []int{1, 0} {
		_, err := accept(w, "1")
		w.Refused(err, fault.ErrUnknownCheck, "passes, so there is nothing to accept")
		if n := w.Count(journal.CheckStart); n != want {
			t.Errorf("%d checks were run, not %d", n, want)
		}
		w = walks.Again(w.World)
	}
	w.Git("clean", "-fdq")
	w.Does()
	if text := w.Git("show", "HEAD:a.txt", "HEAD:README"); strings.Contains(text, "junk") {
		t.Errorf("the step committed %s", text)
	}
}
