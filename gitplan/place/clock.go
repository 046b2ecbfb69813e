package place

import (
	"os"
	"time"
)

// Now is the time as the file system of the repository tells it, which may be a little
// behind: that of a file which is written, and has no name. Nothing where that cannot be
// found out.
func (p *Place) Now() (at time.Time) {
	if p.clock == nil {
		f, err := os.CreateTemp(p.Repo.GitDir, "plan-now-")
		if err != nil {
			return at
		}
		_ = os.Remove(f.Name())
		p.clock = f
	}
	if _, err := p.clock.WriteAt([]byte{0}, 0); err != nil {
		return at
	}
	if info, err := p.clock.Stat(); err == nil {
		at = info.ModTime()
	}
	return at
}
