package place

import (
	"os"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
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
		p.backInPlace()
	}
}

// backInPlace puts back what was out of the way when git plan was killed.
func (p *Place) backInPlace() {
	root, err := os.OpenRoot(p.Tree().Top)
	if err != nil || p.own.Aside == nil {
		return
	}
	defer root.Close()
	for _, name := range p.own.Aside {
		if _, gone := root.Lstat(name); gone != nil {
			_ = root.Rename(asideName(name), name)
		}
	}
	p.own.Aside = nil
}
