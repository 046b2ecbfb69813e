package main

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// runSeveral runs the plans of the named branches, or all plans that wait.
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
		jobs, err := jobsOf(c, co)
		if err != nil {
			return err
		}
		lock, err := gitplan.OpenQueue(co, c.name)
		if err != nil {
			return err
		}
		defer lock.Release()
		s := &several{c: c, co: co, jobs: jobs}
		q := &gitplan.Queue{Checkout: co, Run: s.run}
		all := q.All(c.Context, plans, lock.Stopping)
		if len(all) > 1 || all[0].Err != nil || all[0].Left != "" {
			listed, err := co.Plans(context.WithoutCancel(c.Context))
			if err == nil {
				err = views.Several(c.Err, terminal.Width(os.Stderr), listed, all)
			}
			if err != nil {
				return err
			}
		}
		if code := exit.Worst(codes(all)...); code != exit.OK {
			return &exit.Ended{Code: code}
		}
		return nil
	})
}

func plansToRun(c *workOptions, co *checkout.Checkout) ([]gitplan.QueuedPlan, error) {
	if c.all {
		return gitplan.WaitingPlans(c.Context, co)
	}
	var out []gitplan.QueuedPlan
	for _, branch := range c.args {
		p, ok := gitplan.PlanOf(co, branch)
		switch {
		case !ok && isStep(c.command, co, branch):
			return nil, c.misused("%s is a step, and run takes branches: git plan step %s", branch, branch)
		case !ok:
			return nil, fault.New(fault.ErrPlanGone, "no branch %s has a plan", visible.Line(branch))
		case !slices.Contains(out, p):
			out = append(out, p)
		}
	}
	return out, nil
}

func isStep(c *command, co *checkout.Checkout, name string) bool {
	if co.Load(c.Context) != nil {
		return false
	}
	_, ok := co.Doc.Plan.Step(name)
	return ok
}

// several runs several plans.
type several struct {
	c    *workOptions
	co   *checkout.Checkout
	jobs int
}

// run runs one of them by a git plan of its own.
func (s *several) run(ctx context.Context, p gitplan.QueuedPlan, dir string, clones bool) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return exit.Error, err
	}
	args := []string{"run", "--jobs", strconv.Itoa(s.jobs)}
	for name, given := range map[string]bool{"no-review": s.c.noReview, "autostash": s.c.autostash, "clean": s.c.clean, "json-events": s.c.events, "plain": s.c.plain} {
		if given {
			args = append(args, "--"+name)
		}
	}
	cmd := proc.Cmd{Name: self, Args: args, Dir: dir, Env: append(proc.OfOtherRepo(), exit.EnvHintPrefix+"="+s.hintPrefix(p, dir)), Stdout: os.Stdout, Stderr: os.Stderr}
	if clones {
		cmd.Env = git.WithSettings(cmd.Env, "plan.isolation", "clone")
	}
	exit, err := proc.RunGracefully(ctx, cmd)
	return exit.Code, err
}

// hintPrefix returns the command of exit.EnvHintPrefix for the plan that runs in a folder; "" where the person is already.
func (s *several) hintPrefix(p gitplan.QueuedPlan, dir string) string {
	switch {
	case dir == s.co.Repo.Top:
		return ""
	case strings.HasPrefix(dir, s.co.Repo.PlanDir()+string(os.PathSeparator)): // it goes after the run
		return "git switch " + visible.Shell(p.Branch)
	}
	return "cd " + visible.Shell(dir)
}

// codes returns the exit code of each run. A plan that was not begun because the others were stopped
// was interrupted.
func codes(all []gitplan.QueueEnd) (out []int) {
	for _, e := range all {
		switch {
		case e.Err != nil:
			out = append(out, exit.Error)
		case !e.Begun:
			out = append(out, exit.Interrupted)
		default:
			out = append(out, e.Code)
		}
	}
	return out
}
