package place

import "github.com/git-plan/git-plan/gitplan/journal"

const maxUntracked = 64 << 20

// maxUntracked bounds the contents that are kept, in bytes and files.
const (
	maxUntrackedFiles = 20_000
)

func (p *Place) NoteProgress() error {
	data, err := journal.EncodeNote(p.Own)
	if err != nil {
		return err
	}
	return p.TaskNote().Write(data)
}

// OwnRefs are those beside its branch that a task writes.
func (p *Place) OwnRefs() []string {
	if p.Doc == nil {
		return nil
	}
	return []string{journal.RefPrefix + p.Doc.ID}
}
