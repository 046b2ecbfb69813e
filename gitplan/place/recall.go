package place

import (
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Recall reads what was noted before a crash, and ends what that session left running. If nothing
// was noted, every untracked file counts as the person's.
func (p *Place) Recall() {
	data, err := p.TaskNote().Read()
	if err != nil || journal.DecodeNote(data, &p.own) != nil {
		p.own = checkout.InProgress{}
		for _, path := range p.Before.Untracked {
			p.own.Untracked = append(p.own.Untracked, worktree.RawFile{Path: path})
		}
	}
	if p.own.Session != "" {
		proc.Sweep(proc.Mark(p.own.Session))
		disk.SweepTemps()
	}
	if !p.own.Apart() && !p.own.OfOtherTree(p.Repo.Top) {
		if p.own.Aside != nil && unseen.BackInPlace(p.Tree(), p.own.Aside) == nil {
			p.own.Aside = nil
		}
	}
}
