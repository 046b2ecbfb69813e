package share

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// seenPrefix returns the prefix of the refs that record a remote's plans as last seen, outside of usual refspecs.
func seenPrefix(remote string) string { return "refs/plan-remotes/" + remote + "/" }

// shared has the tips of plans here and as last seen at a remote, by plan ID.
type shared struct{ here, seen map[string]string }

// sharedPlans reads the tips with one git process.
func sharedPlans(ctx context.Context, c *checkout.Checkout, remote string) (shared, error) {
	s := shared{map[string]string{}, map[string]string{}}
	refs, err := c.Repo.Refs(ctx, journal.RefPrefix, seenPrefix(remote))
	for _, r := range refs {
		if id, ok := strings.CutPrefix(r.Name, seenPrefix(remote)); ok {
			s.seen[id] = r.OID
		} else if id, ok := strings.CutPrefix(r.Name, journal.RefPrefix); ok {
			s.here[id] = r.OID
		}
	}
	return s, err
}

// remotely runs a git command that talks to a remote. ErrRemote has git's message; inside a session it is ErrNested.
func remotely(ctx context.Context, c *checkout.Checkout, command git.Command) error {
	if os.Getenv(proc.EnvDepth) != "" {
		return fault.New(fault.ErrNested, "this is a session of a plan (%s is set): it shares nothing", proc.EnvDepth)
	}
	command.Localised, command.Hooks = true, true
	err := c.Repo.Run(ctx, command)
	if refused, ok := errors.AsType[*git.Error](err); ok {
		return &fault.Fault{Kind: fault.ErrRemote, Text: refused.Error(), Cause: refused}
	}
	return err
}

// Way is the environment in which git talks to a remote; the zero value is for commands that a person typed.
type Way struct {
	// Hooks is the hooks folder, "" for the person's. A push that this program makes by itself comes right after a
	// session, so its pre-push hook runs in the sandbox, too: see install.OwnPush.
	Hooks string
	Env   []string // the result of Unasked; nil for the person's environment
}

// Unasked returns an environment in which git and ssh do not prompt on the terminal. Askpass programs, credential
// helpers and agents still work, and the person's own ssh command is kept.
func Unasked(c *checkout.Checkout) []string {
	env := []string{"GIT_TERMINAL_PROMPT=0"}
	if _, ok := c.Config.Get("core.sshCommand"); !ok && os.Getenv("GIT_SSH_COMMAND")+os.Getenv("GIT_SSH") == "" {
		env = append(env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	return env
}

// command returns a git command that goes this way; with hooks of its own, no program is looked up in the tree.
func (w Way) command(args ...string) git.Command {
	if w.Hooks == "" {
		return git.Command{Args: args, Env: w.Env}
	}
	return git.Command{Args: append([]string{"-c", "core.hooksPath=" + w.Hooks}, args...),
		Env: append([]string{"PATH=" + proc.PathOutside()}, w.Env...)}
}

// bringPlan fetches plans, "*" or one id, without the person's refspecs: +refs/*:refs/* would overwrite plans.
func bringPlan(ctx context.Context, c *checkout.Checkout, remote, plans string, way Way) error {
	command := way.command("fetch", "--quiet", "--no-tags", "--prune", "--refmap=", "--no-write-fetch-head",
		"--recurse-submodules=no", "--no-filter",
		"--", remote, "+"+journal.RefPrefix+plans+":"+seenPrefix(remote)+plans)
	command.Writes = true
	return remotely(ctx, c, command)
}

// AtRemote is the state of the branch at its remote, as far as this repository knows without asking.
type AtRemote struct {
	Name      string // the remote's name; "" if it is unknown which remote is meant
	Push      string // the command that pushes the branch
	Has       bool   // the remote has all commits of the branch
	More      string // the branch's name at the remote, if it has commits that are not here; else ""
	Rewritten bool   // the remote's further commits were on the branch here, and were rewritten

	Folder    bool // the remote is a folder of this machine, where no pull request can be opened
	HasPlan   bool // the remote has the present plan
	LacksPlan bool // the plan here lacks changes of the remote
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
	here, err := c.Repo.Resolve(ctx, c.Rev()+"^{commit}")
	there.Has = err == nil && here == oid
	if ok, err := c.Repo.IsAncestor(ctx, oid, here); err == nil && !ok {
		there.More = strings.TrimPrefix(ref, "refs/remotes/"+name+"/")
		behind, err := c.Repo.IsAncestor(ctx, here, oid) // false after a reset to an ancestor
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
	if has, err := c.Repo.IsAncestor(ctx, c.Rev(), base); err != nil || !has {
		return ""
	}
	return base
}
