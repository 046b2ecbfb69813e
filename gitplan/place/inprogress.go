package place

import (
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
)

func (p *Place) RememberSession(id string) {
	p.Own.Session, p.Own.Began = id, time.Now()
	p.Own.Halfway = ""   // what is in the tree is the session's from now on
	p.Own.Tree = ""      // of the attempt before, which could not be committed
	_ = p.NoteProgress() // without the note a crash leaves its processes to the kernel
	p.Since, p.unseen = p.Now(), nil
}

// TakeApproval lets nothing more of the plan run until a person has looked at
// what changed of the set-up, and approves it again.
func (p *Place) TakeApproval(changed []string) error {
	if p.Doc == nil {
		return nil
	}
	p.Own.Changed = changed
	if err := p.NoteProgress(); err != nil {
		return err
	}
	return setup.Revoke(p.Repo, p.Doc.ID)
}

// Unlocked is FreeOfLocks of the work tree before anything is begun there. What the
// session left that was at work last is ended, where its end is to be made up for.
func (p *Place) Unlocked(recovers bool) error {
	since := time.Time{}
	if note := p.Noted(); recovers && note.Session != "" && !note.Elsewhere(p.Repo.Top) {
		proc.Sweep(proc.Mark(note.Session))
		since = note.Began
	}
	return journal.FreeOfLocks(p.Repo, since, p.OwnRefs()...)
}
