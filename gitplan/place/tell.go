package place

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

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

func (p *Place) TellLeft(name, text string) {
	p.Tell(journal.About(name, agent.Executor, 0).Of(journal.StepNote, text))
}

func (p *Place) tellKept(name, kept string, paths []string) {
	if kept != "" {
		p.TellLeft(name, fmt.Sprintf("%skept as %s: %s", p.leftBy(name), kept, visible.OneLine(strings.Join(paths, ", "), 300)))
	}
}

// leftBy begins what is told of the session of an earlier command.
func (p *Place) leftBy(name string) string {
	at, how := "the last session", "was interrupted"
	if step := journal.About(name, agent.Executor, 0).Step; step != "" {
		at += " at step " + step
	}
	if len(p.Own.Changed) > 0 {
		how = "failed (tampering)"
	}
	return at + " " + how + ": what it left is "
}
