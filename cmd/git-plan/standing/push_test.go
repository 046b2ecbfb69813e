package standing

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/share"
)

// What comes after the work depends on what the base and the remote have of the branch.
func TestHowTheBranchIsPushed(t *testing.T) {
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
		{push{branch: "work", mergedInto: "main", remotes: true}, "", "nothing, main has work as it is here"},
		{push{branch: "main", onBase: true}, "", "nothing, the work is on main (there is no remote to push to)"},
		{push{branch: "a'b", base: "main"}, `git switch main && git merge 'a'\''b'`, `git switch main && git merge 'a'\''b' (there is no remote to push to)`},
		{push{branch: "work"}, "git merge work", "git merge work (there is no remote to push to)"},
		{at(share.AtRemote{}), "git push", ""},
		{at(share.AtRemote{More: "work", Rewritten: true}), "git push --force-with-lease", "git push --force-with-lease (origin has work as it was before you rewrote it)"},
		{at(share.AtRemote{More: "work"}), "git pull origin work", "git pull origin work (it has commits of the branch that are not here; where you rewrote them: git push --force-with-lease)"},
		{at(share.AtRemote{Has: true, HasPlan: true}), "git plan export --format pr", "git plan export --format pr, the text of a pull request (origin has the branch as it is here)"},
		{at(share.AtRemote{Has: true, LacksPlan: true}), "git plan fetch", "git plan fetch (origin has changes of the plan that are not here)"},
		{at(share.AtRemote{Has: true}), "git plan push", "git plan push (origin has the branch as it is here, but not the plan as it is), then git plan export --format pr, the text of a pull request"},
		{on(at(share.AtRemote{Has: true}), base), "git plan push", "git plan push (origin has the branch as it is here, but not the plan as it is)"},
		{on(at(share.AtRemote{Has: true, HasPlan: true}), base), "", "nothing, origin has work as it is here"},
		{on(at(share.AtRemote{Has: true}), planless), "", "a pull request, or a merge (origin has the branch as it is here)"},
		{on(on(at(share.AtRemote{Has: true}), planless), base), "", "nothing, origin has work as it is here"},
	} {
		is(t, pushing(c.push), c.command, c.text)
	}
}
