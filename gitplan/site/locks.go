package site

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Unlocked is journal.FreeOfLocks of the work tree before anything is begun there. What the
// session left that was at work last is ended, if its end is to be made up for.
func (s *Site) Unlocked(recovers bool) error {
	since := time.Time{}
	if note := s.Noted(); recovers && note.Session != "" && !note.Elsewhere(s.Repo.Top) {
		proc.Sweep(proc.Mark(note.Session))
		since = note.Began
	}
	return journal.FreeOfLocks(s.Repo, since, s.OwnRefs()...)
}

// OwnRefs are those beside its branch that a task writes.
func (s *Site) OwnRefs() []string {
	if s.Doc == nil {
		return nil
	}
	return []string{journal.RefPrefix + s.Doc.ID}
}
