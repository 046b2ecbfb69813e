package status

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/share"
)

// The command after the work depends on which commits of the branch the base and the remote have.
func TestNextCommandForAPush(t *testing.T) {
	at := func(there share.AtRemote) push {
		there.Name, there.Push = "origin", "git push"
		return push{branch: "work", remotes: true, hasPlan: true, there: there}
	}
	on := func(p push, change func(*push)) push { change(&p); return p }
	base := func(p *push) { p.onBase = true }
	planless := func(p *push) { p.hasPlan = false }
	for _, c := range []struct {
		push          push
		command, text string
	}{
		{push{branch: "work", mergedInto: "main", remotes: true}, "", "nothing, main already has work"},
		{push{branch: "main", onBase: true}, "", "nothing, the work is on main (there is no remote to push to)"},
		{push{branch: "a'b", base: "main"}, `git switch main && git merge 'a'\''b'`, `git switch main && git merge 'a'\''b' (there is no remote to push to)`},
		{push{branch: "work"}, "git merge work", "git merge work (there is no remote to push to)"},
		{at(share.AtRemote{}), "git push", ""},
		{at(share.AtRemote{More: "work", Rewritten: true}), "git push --force-with-lease", "git push --force-with-lease (origin has work as it was before you rewrote it)"},
		{at(share.AtRemote{More: "work"}), "git pull origin work", "git pull origin work (it has commits of the branch that are not here; if you rewrote them: git push --force-with-lease)"},
		{at(share.AtRemote{Has: true, HasPlan: true, Folder: true}), "", "nothing, origin has the branch and its plan; the text of a pull request: git plan export --format pr"},
		{at(share.AtRemote{Has: true, HasPlan: true}), "git plan pr", "git plan pr (the branch is on origin, and so is its plan)"},
		{at(share.AtRemote{Has: true, LacksPlan: true}), "git plan fetch", "git plan fetch (origin has changes of the plan that are not here)"},
		{at(share.AtRemote{Has: true}), "git plan pr", "git plan pr (the branch is on origin, but the current plan is not)"},
		{on(at(share.AtRemote{Has: true}), base), "git plan push", "git plan push (the branch is on origin, but the current plan is not)"},
		{on(at(share.AtRemote{Has: true, HasPlan: true}), base), "", "nothing, origin already has work"},
		{on(at(share.AtRemote{Has: true}), planless), "", "a pull request, or a merge (the branch is on origin)"},
		{on(on(at(share.AtRemote{Has: true}), planless), base), "", "nothing, origin already has work"},
	} {
		is(t, pushing(c.push), c.command, c.text)
	}
}
