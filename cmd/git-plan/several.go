package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

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
		s := &several{c: c, jobs: jobs}
		q := &gitplan.Queue{Checkout: co, Run: s.run}
		all := q.All(c.Context, plans, lock.Stopping)
		if len(all) > 1 || all[0].Err != nil || all[0].Left != "" {
			listed, err := co.Plans(context.WithoutCancel(c.Context))
			if err == nil {
				err = printSeveral(c.Err, terminal.Width(os.Stderr), listed, all)
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
	cmd := proc.Cmd{Name: self, Args: args, Dir: dir, Env: proc.OtherRepoEnv(), Stdout: os.Stdout, Stderr: os.Stderr}
	if clones {
		cmd.Env = git.WithSettings(cmd.Env, "plan.isolation", "clone")
	}
	exit, err := proc.RunGracefully(ctx, cmd)
	return exit.Code, err
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

// printSeveral prints how each of several plans ended, and what is to be done. listed are all there are.
func printSeveral(w io.Writer, width int, listed []checkout.Listed, all []gitplan.QueueEnd) error {
	var rows [][]string
	var notes []string
	for _, e := range all {
		progress, how := "-", "not begun"
		for _, l := range listed {
			if l.ID == e.ID {
				progress = fmt.Sprintf("%d/%d", l.Done, l.Total)
			}
		}
		switch {
		case e.Err != nil:
			how = visible.OneLine(e.Err.Error(), 200)
		case e.Begun:
			how = exit.Word(e.Code)
		}
		rows = append(rows, []string{visible.Line(e.Branch), progress, how})
		if e.Left != "" {
			notes = append(notes, fmt.Sprintf("the work tree of %s is kept, because it contains something: %s", visible.Line(e.Branch), visible.Line(e.Left)))
		}
	}
	say(w, "")
	if err := terminal.Table(w, width, nil, rows); err != nil {
		return err
	}
	for _, note := range notes {
		say(w, "%s", note)
	}
	for _, e := range all {
		if e.Begun && e.Code != exit.OK {
			say(w, "what each needs: git switch BRANCH, then git plan status")
			break
		}
	}
	return nil
}

type stopOptions struct {
	*command
	now, undo, all bool
}

func stopCommand() *cli.Command {
	c := &stopOptions{command: new(command)}
	return &cli.Command{
		Name: "stop", Usage: "end a run from another terminal, after the steps in progress", ArgsUsage: "[<branch>...]",
		Description: "Ends git plan run of this branch's plan, or of those of other branches: what is at work is\n" +
			"brought to its end, nothing more begins, and there is no review. With --now it ends as by\n" +
			"Ctrl-C: what sessions did is kept, and git plan run goes on from there.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "now", Destination: &c.now, Usage: "end what is at work, too, and keep what it did"},
			&cli.BoolFlag{Name: "undo", Destination: &c.undo, Usage: "take it back while the run has not ended: it continues"},
			&cli.BoolFlag{Name: "all", Destination: &c.all, Usage: "end every run of this repository, and git plan run of several branches"},
		},
		Action: c.do(func() error {
			if c.all && len(c.args) > 0 {
				return c.misused("--all means every run, so name no branch")
			}
			if c.now && c.undo {
				return c.misused("--now cannot be undone; to continue: git plan run")
			}
			end := func(co *checkout.Checkout, id string, who journal.Holder) error {
				return stop(c.command, co, id, who, c.now)
			}
			if c.undo {
				end = func(co *checkout.Checkout, id string, who journal.Holder) error {
					return undoStop(c.command, co, id, who)
				}
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error {
				ids, err := plansToStop(c, co)
				if err != nil {
					return err
				}
				stopped := false
				for _, id := range ids {
					who, working := journal.Working(co.Repo, id)
					if !working {
						continue
					}
					stopped = true
					if err := end(co, id, who); err != nil {
						return err
					}
				}
				if !stopped {
					say(c.Err, "nothing runs")
				}
				return nil
			})
		}),
	}
}

// plansToStop returns the ids of plans, that of a queue first: otherwise it would begin the next
// one.
func plansToStop(c *stopOptions, co *checkout.Checkout) (ids []string, err error) {
	if c.all {
		all, err := co.Plans(c.Context)
		ids = append(ids, gitplan.QueueID)
		for _, l := range all {
			ids = append(ids, l.ID)
		}
		return ids, err
	}
	if len(c.args) == 0 {
		err := co.Load(c.Context)
		if err != nil {
			return nil, err
		}
		return []string{co.Doc.ID}, nil
	}
	for _, branch := range c.args {
		p, ok := gitplan.PlanOf(co, branch)
		if !ok {
			return nil, fault.New(fault.ErrPlanGone, "no branch %s has a plan", visible.Line(branch))
		}
		ids = append(ids, p.ID)
	}
	return ids, nil
}

func stop(c *command, co *checkout.Checkout, id string, who journal.Holder, now bool) error {
	name := visible.Line(who.Name())
	if now {
		if err := journal.StopNow(c.Context, co.Repo, id, who); err != nil {
			return err
		}
		say(c.Err, "%s has ended; what its sessions did is kept", name)
		return nil
	}
	if endsByItself(who) {
		say(c.Err, "%s ends by itself; to end it now: git plan stop --now", name)
		return nil
	}
	if err := journal.AskToStop(co.Repo, id, who); err != nil {
		return err
	}
	after := "the step that is at work"
	if steps := who.Steps(); len(steps) > 0 {
		after = fmt.Sprintf("step %s", visible.OneLine(strings.Join(steps, ", "), 100))
	}
	if id == gitplan.QueueID {
		after = "the plan that is at work"
	}
	say(c.Err, "%s ends after %s; to end it now: git plan stop --now", name, after)
	return nil
}

// endsByItself reports whether a command does one thing, and so takes no request to stop after it.
func endsByItself(who journal.Holder) bool { return who.Command != "run" && who.Command != "step" }

// undoStop withdraws a request to stop.
func undoStop(c *command, co *checkout.Checkout, id string, who journal.Holder) error {
	if !journal.AskedToStop(co.Repo, id, who) {
		say(c.Err, "nobody asked %s to stop", visible.Line(who.Name()))
		return nil
	}
	if err := journal.UndoStop(co.Repo, id, who); err != nil {
		return err
	}
	say(c.Err, "%s continues", visible.Line(who.Name()))
	return nil
}
