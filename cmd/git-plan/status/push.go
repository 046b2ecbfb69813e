package status

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// push is what the base and the remote have of a finished branch.
type push struct {
	branch     string
	base       string // the base branch; "" if that is not known
	mergedInto string // the base, if it has the branch as it is
	onBase     bool   // the branch is the base, as if the plan made its first commits
	remotes    bool   // there are any
	hasPlan    bool   // the branch has one
	there      share.AtRemote
}

func pushOf(ctx context.Context, co *checkout.Checkout) push {
	p := push{branch: co.Branch, mergedInto: share.MergedInto(ctx, co), hasPlan: co.Doc != nil}
	if p.mergedInto != "" {
		return p
	}
	base, err := co.Base(ctx, "")
	if p.onBase = err == nil && co.OnBase(base); err == nil {
		p.base = strings.TrimPrefix(base, "origin/")
	}
	if p.remotes = len(co.Config.Names("remote", "url")) > 0; p.remotes {
		p.there = share.LookAtRemote(ctx, co)
	}
	return p
}

// pushing says how the branch is pushed, or what comes after that.
func pushing(p push) Advice {
	const pullRequest = "git plan pr" // which pushes the plan, too
	nothing := func(why string) Advice { return Advice{Text: "nothing, " + why} }
	branch, remote := p.branch, p.there.Name
	pushed := "the branch is on " + remote
	switch there := p.there; {
	case p.mergedInto != "":
		return nothing(p.mergedInto + " already has " + branch)
	case !p.remotes && p.onBase:
		return nothing("the work is on " + branch + " (there is no remote to push to)")
	case !p.remotes:
		merge := "git merge " + visible.Shell(p.branch)
		if p.base != "" {
			merge = "git switch " + visible.Shell(p.base) + " && " + merge
		}
		return because(merge, "there is no remote to push to")
	case there.More != "" && there.Rewritten:
		return because(there.Push+" --force-with-lease", remote+" has "+there.More+" as it was before you rewrote it")
	case there.More != "":
		return because("git pull "+visible.Shell(there.Name)+" "+visible.Shell(there.More), "it has commits of the branch that are not here; if you rewrote them: git push --force-with-lease")
	case !there.Has:
		return Advice{Command: there.Push}
	case p.onBase && (!p.hasPlan || there.HasPlan):
		return nothing(remote + " already has " + branch)
	case !p.hasPlan:
		return Advice{Text: "a pull request, or a merge (" + pushed + ")"}
	case there.LacksPlan:
		return because("git plan fetch", remote+" has changes of the plan that are not here")
	case there.HasPlan && there.Folder:
		return nothing(remote + " has the branch and its plan; the text of a pull request: git plan export --format pr")
	case there.HasPlan:
		return because(pullRequest, pushed+", and so is its plan")
	case p.onBase:
		return because("git plan push", pushed+", but not its plan as it is now")
	}
	return because(pullRequest, pushed+", but not its plan as it is now")
}
