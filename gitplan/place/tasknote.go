package place

import (
	"context"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// RememberSession notes that a session begins.
func (p *Place) RememberSession(id string) {
	p.own.Session, p.own.Began = id, time.Now()
	p.own.Halfway = "" // from now on what is in the tree is the session's
	p.own.Tree = ""    // of the attempt before, which could not be committed
	p.own.Behind = false
	_ = p.noteProgress() // without the note, a crash would leave the session's processes running
	p.ledger.Since, p.ledger.Hidden = p.Now(), nil
}

// TakeApproval lets nothing more of the plan run until a person has looked at what changed in the
// set-up, and approves it again.
func (p *Place) TakeApproval(changed []string) error {
	if p.Doc == nil {
		return nil
	}
	p.own.Changed = changed
	if err := p.noteProgress(); err != nil {
		return err
	}
	return setup.Revoke(p.Repo, p.Doc.ID)
}

// TakeApprovalAfter is TakeApproval after a task is done: then the note says nothing else.
func (p *Place) TakeApprovalAfter(task string, changed []string) error {
	p.own = checkout.InProgress{Name: task, Branch: p.Branch, Top: p.Repo.Top, Session: p.own.Session, Began: p.own.Began}
	return p.TakeApproval(changed)
}

// noteProgress notes what a crash would make us forget.
func (p *Place) noteProgress() error {
	data, err := journal.EncodeNote(p.own)
	if err != nil {
		return err
	}
	return p.TaskNote().Write(data)
}

// CommittedOn says on which other branches the session at work committed, and how to put them back.
func (p *Place) CommittedOn(ctx context.Context, changed []string) string {
	return p.Site.CommittedOn(ctx, p.own.Session, p.own.Began, changed)
}
