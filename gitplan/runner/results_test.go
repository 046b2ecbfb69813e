package runner

import (
	"fmt"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// The result of a check is known for one tree and one place, the last result counts, and the oldest is
// removed.
func TestResultsOfChecksAreRecorded(t *testing.T) {
	w := newWorld(t)
	if len(w.site.CheckResults()) != 0 {
		t.Errorf("%+v", w.site.CheckResults())
	}
	fine(t, w.site.RecordResults(CheckResult{Tree: "t", Command: "true"}, CheckResult{Tree: "t", Command: "false", Exit: proc.Exit{Code: 1}, Why: "it fails"}))
	fine(t, w.site.RecordResults(CheckResult{Tree: "t", Command: "false"}, CheckResult{Tree: "u", Command: "true"}))
	w.site.Checkout.Slot = "1" // in a clone
	if p, known := w.site.LastResult("t", func(CheckResult) bool { return true }); known {
		t.Errorf("known in a clone: %+v", p)
	}
	fine(t, w.site.RecordResults(CheckResult{Tree: "t", Command: "true", Tested: true}))
	all := w.again().site.CheckResults()
	if len(all) != 4 || all[1] != (CheckResult{Tree: "t", Where: all[0].Where, Command: "false"}) || !all[3].Tested {
		t.Errorf("%+v", all)
	}
	if p, _ := w.site.LastResult("t", func(p CheckResult) bool { return p.Command == "true" }); p != all[0] {
		t.Errorf("the last is %+v", p)
	}
	var many []CheckResult
	for i := range mostResults {
		many = append(many, CheckResult{Tree: "t", Command: fmt.Sprint("test ", i)})
	}
	fine(t, w.site.RecordResults(many...))
	if all = w.site.CheckResults(); len(all) != mostResults || all[0].Command != "test 0" {
		t.Errorf("%d, the first is %+v", len(all), all[0])
	}
	for code, want := range map[int]bool{0: false, 1: false, 126: true, 127: true, 130: false} {
		if got := (CheckResult{Exit: proc.Exit{Code: code}}).Missing(); got != want {
			t.Errorf("%d: %v", code, got)
		}
	}
}
