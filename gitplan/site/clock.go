package site

import (
	"os"
	"time"
)

// Now returns the time by the clock of the repository's file system, which may be a little
// behind: that of an unnamed file that it writes to. It is zero if that cannot be found out.
func (s *Site) Now() (at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clock == nil {
		f, err := os.CreateTemp(s.Repo.GitDir, "plan-now-")
		if err != nil {
			return at
		}
		_ = os.Remove(f.Name())
		s.clock = f
	}
	if _, err := s.clock.WriteAt([]byte{0}, 0); err != nil {
		return at
	}
	if info, err := s.clock.Stat(); err == nil {
		at = info.ModTime()
	}
	return at
}
