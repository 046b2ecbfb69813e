package place

import (
	"github.com/git-plan/git-plan/gitplan/journal"
)

// What is kept of a person's untracked files is bounded, in bytes and files.
const (
	maxUntracked      = 64 << 20
	maxUntrackedFiles = 20_000
)

// noteProgress notes what a crash would make us forget.
func (p *Place) noteProgress() error {
	data, err := journal.EncodeNote(p.own)
	if err != nil {
		return err
	}
	return p.TaskNote().Write(data)
}
