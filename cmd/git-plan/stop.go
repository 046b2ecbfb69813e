package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

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
	if steps := atWorkNow(who); len(steps) > 0 {
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

// atWorkNow returns the steps that a holder works on.
func atWorkNow(who journal.Holder) []string {
	if len(who.Steps) > 0 || who.Step == "" {
		return who.Steps
	}
	return []string{who.Step}
}
