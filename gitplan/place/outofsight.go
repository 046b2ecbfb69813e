package place

import (
	"slices"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A step is done by what is committed. If a session worked in ignored files, or in the person's
// untracked ones, its checks see that work, but no other clone ever will.

// outOfSight returns a reason if a session's work is in files that no commit will have, else "". hopeless
// says that another session could not help: the task itself asks for those files, or they are the
// person's.
func (p *Place) outOfSight(t Asked, left *Leftover) (reason string, hopeless bool) {
	if !t.Session || p.since.IsZero() {
		return "", false
	}
	asked := t.names()
	theirs := left.Touched
	if !left.Empty() {
		theirs = slices.DeleteFunc(slices.Clone(theirs), func(name string) bool { return !slices.Contains(asked, name) })
	}
	if len(theirs) > 0 {
		return "what it did is in " + visible.Few(theirs) + ", which is yours and " + p.theirs().Why(theirs), true
	}
	named := p.unseenLook().WrittenOf(left.Status, plan.Literals(t.Files))
	if left.Empty() {
		named = p.unseenLook().WrittenOf(left.Status, asked)
		p.noteUnseen(left.Status)
	}
	for _, name := range named {
		p.addUnseen(name)
	}
	if len(named) > 0 {
		return "what it did is in " + visible.Few(named) + ", which git ignores", true
	}
	if left.Empty() && len(p.unseen) > 0 {
		return "what it did is in " + visible.Few(p.unseen) + ", which git ignores", false
	}
	return "", false
}

// ignoredButChecked returns files that git ignores and the session wrote, and that the checks of
// a task name: the checks rely on them, and no commit has them.
func (p *Place) ignoredButChecked(t Asked, s *worktree.Status) []string {
	if p.since.IsZero() {
		return nil
	}
	return p.unseenLook().WrittenOf(s, Asked{Checks: t.Checks}.names())
}

// noteUnseen notes ignored files that the session wrote, except what tools write.
func (p *Place) noteUnseen(s *worktree.Status) {
	for _, name := range p.unseenLook().Written(s) {
		p.addUnseen(name)
	}
}

func (p *Place) addUnseen(name string) {
	if !slices.Contains(p.unseen, name) {
		p.unseen = append(p.unseen, name)
	}
}

// byChecks notes what checks wrote that git ignores, and what they changed in tracked files: it
// is not the session's work.
func (p *Place) byChecks(before, after *worktree.Status) {
	for _, name := range after.Paths() {
		if !slices.Contains(before.Paths(), name) && !slices.Contains(p.rewritten, name) {
			p.rewritten = append(p.rewritten, name)
		}
	}
	for _, name := range after.Ignored {
		if !slices.Contains(before.Ignored, name) {
			p.byproducts[name] = true
		}
	}
}
