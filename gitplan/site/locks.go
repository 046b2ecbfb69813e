package site

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Unlocked is journal.FreeOfLocks for the work tree before anything is begun there. First it ends
// what the last session left running, if that session was killed.
func (s *Site) Unlocked(recovers bool) error {
	since := time.Time{}
	if note := s.Noted(); recovers && note.Session != "" && !note.OfOtherTree(s.Repo.Top) {
		proc.Sweep(proc.Mark(note.Session))
		since = note.Began
	}
	return journal.FreeOfLocks(s.Repo, since, s.OwnRefs()...)
}

// OwnRefs returns the refs besides its branch that a task writes.
func (s *Site) OwnRefs() []string {
	if s.Doc == nil {
		return nil
	}
	return []string{journal.RefPrefix + s.Doc.ID}
}
