package work

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// tellFailed tells of an attempt that failed. How a fixer ended in the end is told by
// its review.
func (w *Worker) tellFailed(t Task, try prompt.Attempt, reason string, final bool) {
	n := journal.About(t.Name, t.Role, try.N).Of(journal.StepFailed, "")
	n.Reason, n.Final = reason, final
	if n.Step == "" {
		n = n.Of(journal.FixEnd, fmt.Sprintf("attempt %d failed: %s", try.N, reason))
	}
	if n.Step != "" || !final {
		w.Tell(n)
	}
}
