package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// runSeveral runs the plans of the named branches, or all plans that wait, each by a git plan of its own.
func runSeveral(c *workOptions) error {
	switch {
	case c.all && len(c.args) > 0:
		return c.misused("--all means every plan, so name no branch")
	case c.until != "":
		return c.misused("--until is a step of one plan, so name no branch")
	}
	if err := notNested(); err != nil {
		return err
	}
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		plans, err := plansToRun(c, co)
		if err != nil {
			return err
		}
		if len(plans) == 0 {
			say(c.Err, "no plan is approved and has an open step: git plan list")
			return nil
		}
		lock, err := gitplan.OpenQueue(co, c.name)
		if err != nil {
			return err
		}
		defer lock.Release()
		q := &gitplan.Queue{Checkout: co, Run: c.runElsewhere}
		all := q.All(c.Context, plans, lock.Stopping)
		if err := printSeveral(c.Err, terminal.Width(os.Stderr), all); err != nil {
			return err
		}
		code := exit.OK
		for _, e := range all {
			code = exit.Worst(code, e.Code)
		}
		if code != exit.OK {
			return &exit.Ended{Code: code}
		}
		return nil
	})
}

func plansToRun(c *workOptions, co *checkout.Checkout) (out []gitplan.QueuedPlan, err error) {
	if c.all {
		return gitplan.WaitingPlans(c.Context, co)
	}
	for _, branch := range c.args {
		p, ok := gitplan.PlanOf(co, branch)
		if !ok {
			return nil, fault.New(fault.ErrPlanGone, "no branch %s has a plan", visible.Line(branch))
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// runElsewhere runs the plan of another work tree by a git plan of its own, with the same options.
func (c *workOptions) runElsewhere(ctx context.Context, _ gitplan.QueuedPlan, dir string, clones bool) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return exit.Error, err
	}
	args := []string{"run"}
	if c.jobs != unset {
		args = append(args, "--jobs", strconv.Itoa(c.jobs))
	}
	for name, given := range map[string]bool{"no-review": c.noReview, "autostash": c.autostash, "clean": c.clean,
		"json-events": c.events} {
		if given {
			args = append(args, "--"+name)
		}
	}
	cmd := proc.Cmd{Name: self, Args: args, Dir: dir, Env: proc.OtherRepoEnv(), Stdout: os.Stdout, Stderr: os.Stderr}
	if clones {
		cmd.Env = git.WithSettings(cmd.Env, "plan.isolation", "clone")
	}
	end, err := proc.RunGracefully(ctx, cmd)
	return end.Code, err
}

// printSeveral prints how each of several plans ended.
func printSeveral(w io.Writer, width int, all []gitplan.QueueEnd) error {
	var rows [][]string
	failed, ends := false, map[string]string{}
	for _, e := range all {
		how := "not begun"
		switch {
		case e.Err != nil:
			how = visible.OneLine(e.Err.Error(), 200)
		case e.Waits:
			how = "waits for " + visible.Line(e.Base) + ": " + ends[e.Base]
		case e.Begun:
			how, failed = exit.Word(e.Code), failed || e.Code != exit.OK
		}
		ends[e.Branch] = how
		rows = append(rows, []string{visible.Line(e.Branch), how})
	}
	say(w, "")
	if err := terminal.Table(w, width, rows); err != nil {
		return err
	}
	for _, e := range all {
		if e.Left != "" {
			say(w, "the work tree of %s is kept, because it contains something: %s", e.Branch, e.Left)
		}
	}
	if failed {
		say(w, "see why: git switch BRANCH, then git plan status")
	}
	return nil
}

func stopCommand(c *command) *cli.Command {
	var now, all bool
	c.option(&now, "now", "end running sessions, too, and keep their work")
	c.option(&all, "all", "end every run in this repository, and git plan run of several branches")
	return c.define("stop", "", "end a run from another terminal, after the steps in progress",
		c.inRepo(0, func(co *checkout.Checkout) error {
			var ids []string
			if all {
				plans, err := co.Plans(c.Context)
				if err != nil {
					return err
				}
				ids = append(ids, gitplan.QueueID) // first: otherwise it would begin the next plan
				for _, l := range plans {
					ids = append(ids, l.ID)
				}
			} else if err := co.Load(c.Context); err != nil {
				return err
			} else {
				ids = append(ids, co.Doc.ID)
			}
			stopped := false
			for _, id := range ids {
				if who, working := journal.Working(co.Repo, id); working {
					stopped = true
					if err := stop(c, co, id, who, now); err != nil {
						return err
					}
				}
			}
			if !stopped {
				say(c.Err, "nothing runs")
			}
			return nil
		}))
}

// stop asks who works on a plan to end, ends it now, or withdraws the request.
func stop(c *command, co *checkout.Checkout, id string, who journal.Holder, now bool) error {
	var err error
	text, next := "%s ends after what is in progress", "; to end it now: git plan stop --now"
	if co.Doc == nil { // it may be the plan of another branch
		next = "; to end it now: git plan stop --all --now"
	}
	switch {
	case now:
		text, err = "%s has ended; what its sessions did is kept", journal.StopNow(c.Context, co.Repo, id, who)
		next = ""
	case endsByItself(who):
		text = "%s ends by itself"
	default:
		err = journal.AskToStop(co.Repo, id, who)
	}
	if err == nil {
		say(c.Err, text+next, who.Name())
	}
	return err
}

// endsByItself reports whether a command does one thing, and so takes no request to stop after it.
func endsByItself(who journal.Holder) bool { return who.Command != "run" && who.Command != "step" }
