package place

import (
	"slices"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Uncommittable says that what a session did is in files that no commit has, or nothing. hopeless
// says that another session could not help; note is for the person.
func (p *Place) Uncommittable(t Asked, left *Leftover) (reason string, hopeless bool, note string) {
	if inside := p.inside(left.Status); len(inside) > 0 {
		return visible.OneLine(inside[0], 200) + " is a submodule: what was changed in it is not committed there", false, ""
	}
	if nested := p.unseenLook().Nested(left.Status); len(nested) > 0 {
		return visible.Few(nested) + " is a repository of its own: its files are not committed here", false, ""
	}
	if reason, hopeless = p.outOfSight(t, left); reason != "" {
		return reason, hopeless, ""
	}
	if found := p.shadowing(left.Status); len(found) > 0 {
		return visible.Few(found) + " would be run in place of the system's own, and git ignores it: remove it", false, ""
	}
	if found := p.ignoredButChecked(t, left.Status); len(found) > 0 {
		note = "a check goes by " + visible.Few(found) + ", which git ignores and the session wrote: no other clone has it"
	}
	return "", false, note
}

// outOfSight returns a reason if a session's work is in files that no commit will have, else "". hopeless
// says that another session could not help: the task itself asks for those files, or they are the
// person's.
func (p *Place) outOfSight(t Asked, left *Leftover) (reason string, hopeless bool) {
	if !t.Session || p.ledger.Since.IsZero() {
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
	return p.unseenLook().OutOfSight(left.Status, plan.Literals(t.Files), asked, left.Empty())
}

// ignoredButChecked returns files that git ignores and the session wrote, and that the checks of
// a task name: the checks rely on them, and no commit has them.
func (p *Place) ignoredButChecked(t Asked, s *worktree.Status) []string {
	if p.ledger.Since.IsZero() {
		return nil
	}
	return p.unseenLook().WrittenOf(s, Asked{Checks: t.Checks}.names())
}
