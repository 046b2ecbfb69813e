package gitplan

import (
	"fmt"
	"time"

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

// Tell passes a notice on to whoever shows it.
func (p *Place) Tell(n journal.Notice) {
	if p.On == nil {
		return
	}
	p.telling.Lock() // reviewers' sessions run side by side
	defer p.telling.Unlock()
	n.Time, n.Branch = time.Now(), p.Branch
	if p.Doc != nil {
		n.Plan = p.Doc.ID
	}
	p.On(n)
}
