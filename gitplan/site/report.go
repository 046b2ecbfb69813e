package site

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Report passes a notice on to whoever shows it.
func (s *Site) Report(n journal.Notice) {
	if s.On == nil {
		return
	}
	k := s.common()
	k.reporting.Lock()
	defer k.reporting.Unlock()
	n.Time, n.Branch = time.Now(), s.Branch
	if s.Doc != nil {
		n.Plan = s.Doc.ID
	}
	s.On(n)
}

// ReportLeft reports what the task of a name left.
func (s *Site) ReportLeft(name, text string) {
	s.Report(journal.About(name, agent.Executor, 0).Of(journal.StepNote, text))
}

// Once reports whether it is called with this name for the first time in this run.
func (s *Site) Once(name string) bool {
	k := s.common()
	k.reporting.Lock()
	defer k.reporting.Unlock()
	if k.reported[name] {
		return false
	}
	if k.reported == nil {
		k.reported = map[string]bool{}
	}
	k.reported[name] = true
	return true
}
