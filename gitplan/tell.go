package gitplan

import (
	"fmt"
	"time"
)

// tellFailed tells of an attempt that failed. How a fixer ended in the end is told by
// its review.
func (w *Worker) tellFailed(t Task, try Attempt, reason string, final bool) {
	n := about(t.Name, t.Role, try.N).of(StepFailed, "")
	n.Reason, n.Final = reason, final
	if n.Step == "" {
		n = n.of(FixEnd, fmt.Sprintf("attempt %d failed: %s", try.N, reason))
	}
	if n.Step != "" || !final {
		w.Tell(n)
	}
}

// Tell passes a notice on to whoever shows it.
func (w *Worker) Tell(n Notice) {
	if w.On == nil {
		return
	}
	w.telling.Lock() // reviewers' sessions run side by side
	defer w.telling.Unlock()
	n.Time, n.Branch = time.Now(), w.Branch
	if w.Doc != nil {
		n.Plan = w.Doc.ID
	}
	w.On(n)
}
