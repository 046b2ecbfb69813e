package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/hooks/install"
)

func pushCommand(c *command) *cli.Command {
	var all bool
	c.option(&all, "all", "push all plans of the repository")
	return c.define("push", "[<remote>]", "push the plan of this branch to a remote",
		c.inRepo(1, func(co *checkout.Checkout) error {
			remote, err := co.Remote(c.arg(0), true)
			if err != nil {
				return err
			}
			var ids []string
			if !all {
				if err := co.Load(c.Context); err != nil {
					return err
				}
				ids = []string{co.Doc.ID}
			}
			plans, err := share.Push(c.Context, co, remote, ids)
			var failed []error
			for _, p := range plans {
				switch {
				case p.Err != nil:
					failed = append(failed, p.Err)
				case p.There:
					say(c.Out, "%s: %s is up to date", p.ID, remote)
				default:
					say(c.Out, "%s: pushed to %s", p.ID, remote)
				}
			}
			if err != nil {
				return err
			}
			if len(plans) == 0 {
				say(c.Err, "there is no plan to push")
			}
			return errors.Join(failed...)
		}))
}

func fetchCommand(c *command) *cli.Command {
	var ours, theirs bool
	c.option(&ours, "ours", "on conflict, keep what is here")
	c.option(&theirs, "theirs", "on conflict, take what the remote has")
	return c.define("fetch", "[<remote>]", "fetch plans from a remote and merge them step by step",
		c.inRepo(1, func(co *checkout.Checkout) error {
			pick := share.Neither
			switch {
			case ours && theirs:
				return c.misused("--ours and --theirs cannot be used together")
			case ours:
				pick = share.Ours
			case theirs:
				pick = share.Theirs
			}
			remote, err := co.Remote(c.arg(0), false)
			if err != nil {
				return err
			}
			plans, err := share.Fetch(c.Context, co, remote, pick)
			if err != nil {
				return err
			}
			var failed []error
			remotes := co.AtRemotes(c.Context)
			for _, p := range plans {
				if p.Err != nil {
					failed = append(failed, p.Err)
				}
				away := p.Plan != nil && p.Plan.Branch != co.Branch && remotes[p.Plan.Branch] != ""
				say(c.Out, "%s: %s", p.ID, views.Fetched(p, remote, away))
				chosen := share.Neither
				if p.End == share.FetchedMerged {
					chosen = pick
				}
				for _, k := range p.Conflicts {
					views.Conflict(c.Out, k, chosen, remote)
				}
			}
			if len(plans) == 0 {
				say(c.Err, "%s has no plans that you may read", remote)
			}
			return errors.Join(failed...)
		}))
}

// pushLimit is how long a push that no person typed may take, with its hook.
const pushLimit = 30 * time.Minute

// pushAfter pushes branch and plan if plan.push names one of these moments; a failure is only reported.
func pushAfter(c *command, s *gitplan.Steps, moments ...string) {
	if when, err := s.Checkout.Config.Word("plan.push"); err != nil || !slices.Contains(moments, when) {
		return
	}
	note := func(format string, a ...any) {
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: fmt.Sprintf(format, a...)})
	}
	if why := runner.WhyNotPush(s.Runner.Checkout); why != "" {
		note("not pushed: %s; look at it, then: git push", why)
		return
	}
	hooks, remove, err := install.OwnPush(s.Runner.Checkout)
	if err != nil {
		note("not pushed: %v; the work is here: git push", err)
		return
	}
	defer remove()
	ctx, over := context.WithTimeoutCause(c.Context, pushLimit,
		fault.New(fault.ErrRemote, "git push did not end within %s", pushLimit))
	defer over()
	defer time.AfterFunc(3*time.Second,
		func() { s.Runner.Report(journal.Notice{Kind: journal.SessionText, Reason: "git push"}) }).Stop()
	var remote, noPlan string
	now, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err == nil {
		remote, err = workspace.At(s.Runner, now).WatchUserFiles(ctx, "", checkout.Landing, func() (to string, err error) {
			to, noPlan, err = share.PushWork(ctx, s.Runner.Checkout, share.Way{Hooks: hooks, Env: share.Unasked(s.Runner.Checkout)})
			return to, err
		})
	}
	if err == nil {
		note("%s", pushedTo(remote, noPlan))
		return
	}
	how := "git plan fetch"
	if errors.Is(err, fault.ErrRemote) || errors.Is(err, fault.ErrNoRemote) {
		how = "git push"
	}
	note("not pushed: %s; the work is here, and %s says more", visible.Joined(err.Error(), 1000), how)
}

func pushedTo(remote, noPlan string) string {
	if noPlan == "" {
		return "branch and plan are pushed to " + remote
	}
	return fmt.Sprintf("the branch alone is pushed to %s, which takes no plan: %s; other clones see none of its steps done", remote, noPlan)
}
