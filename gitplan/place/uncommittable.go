package place

import (
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
