package gitplan

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// The mark of a skipped review is set when everything is done, and once for each commit.
func TestMarkOfASkippedReview(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.steps("")
	w.Fine(w.LeaveOutReview(t.Context()))
	if w.last().Kind == journal.Unreviewed {
		t.Error("a step is still open")
	}
	w.steps("")
	w.Fine(w.LeaveOutReview(t.Context()), w.LeaveOutReview(t.Context()))
	marks := func() (n int) {
		for _, e := range w.Checkout.Doc.Events {
			if e.Kind == journal.Unreviewed {
				n++
			}
		}
		return n
	}
	if marks() != 1 || w.last().Head != w.Head() || w.last().By != journal.ByPerson {
		t.Errorf("%d marks, the last event is %+v", marks(), w.last())
	}
	w.Commit("more.txt", "x\n")
	w = again(w.World)
	w.Fine(w.LeaveOutReview(t.Context()))
	if marks() != 2 {
		t.Errorf("%d marks after another commit", marks())
	}
}
