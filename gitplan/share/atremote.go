package share

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// AtRemote is the state of the branch at its remote, as far as this repository knows without asking.
type AtRemote struct {
	Name      string // "" if it is unknown which remote is meant
	Push      string // the command that pushes the branch
	Has       bool   // the branch here
	More      string // the branch's name there, if it has commits that are not here
	Rewritten bool   // these commits were here, and others took their place

	Folder    bool // it is one of this machine, where no pull request can be opened
	HasPlan   bool // the plan here
	LacksPlan bool // the plan here lacks changes that the remote has
}

// LookAtRemote returns the state of the branch and its plan at the remote that the branch is pushed to.
func LookAtRemote(ctx context.Context, c *checkout.Checkout) AtRemote {
	name, err := c.Remote("", true)
	if err != nil || c.Branch == "" {
		return AtRemote{Push: "git push"}
	}
	there := AtRemote{Name: name, Push: "git push -u " + visible.Shell(name) + " HEAD"}
	address, _ := c.Config.Get("remote." + name + ".url")
	info, err := os.Stat(strings.TrimPrefix(address, "file://"))
	there.Folder = err == nil && info.IsDir()
	if c.Doc != nil {
		there.HasPlan = HasPlan(ctx, c, name, c.Doc)
		if seen, err := c.Repo.Resolve(ctx, seenPrefix(name)+c.Doc.ID); err == nil && seen != c.Doc.Tip {
			here, err := c.Repo.IsAncestor(ctx, seen, c.Doc.Tip)
			there.LacksPlan = err == nil && !here
		}
	}
	// What git push alone would push; nothing if it would refuse, as without an upstream.
	to, err := c.Repo.Output(ctx, "for-each-ref", "--format=%(push)", "refs/heads/"+c.Branch)
	_, tracks := c.Config.Get("branch." + c.Branch + ".merge")
	_, sets := c.Config.Get("push.autoSetupRemote")
	if err == nil && to != "" || !tracks && sets {
		there.Push = "git push"
	}
	ref := cmp.Or(to, "refs/remotes/"+name+"/"+c.Branch)
	oid, err := c.Repo.Resolve(ctx, ref)
	if err != nil {
		return there
	}
	here, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	there.Has = err == nil && here == oid
	if ok, err := c.Repo.IsAncestor(ctx, oid, here); err == nil && !ok {
		there.More = strings.TrimPrefix(ref, "refs/remotes/"+name+"/")
		behind, err := c.Repo.IsAncestor(ctx, here, oid) // else it was reset to an ancestor
		once, _ := c.Repo.Output(ctx, "log", "--walk-reflogs", "--format=%H", "refs/heads/"+c.Branch, "--")
		there.Rewritten = err == nil && !behind && strings.Contains(once, oid)
	}
	return there
}

// MergedInto returns the base if it contains the branch; "" if the branch is the base itself.
func MergedInto(ctx context.Context, c *checkout.Checkout) string {
	given := ""
	if c.Doc != nil {
		given = c.Doc.Plan.Base
	}
	base, err := c.Base(ctx, given)
	if err != nil || base == "" || c.OnBase(base) {
		return ""
	}
	if has, err := c.Repo.IsAncestor(ctx, "HEAD", base); err != nil || !has {
		return ""
	}
	return base
}
