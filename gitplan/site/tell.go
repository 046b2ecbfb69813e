package site

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Tell passes a notice on to whoever shows it.
func (s *Site) Tell(n journal.Notice) {
	if s.On == nil {
		return
	}
	k := s.common()
	k.telling.Lock()
	defer k.telling.Unlock()
	n.Time, n.Branch = time.Now(), s.Branch
	if s.Doc != nil {
		n.Plan = s.Doc.ID
	}
	s.On(n)
}

// TellLeft reports what the task of a name left.
func (s *Site) TellLeft(name, text string) {
	s.Tell(journal.About(name, agent.Executor, 0).Of(journal.StepNote, text))
}
