package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

func verifyCommand(c *command) *cli.Command {
	var plan, accept string
	var base bool
	c.option(&plan, "plan", "run the checks of `PLAN` instead of this branch's")
	c.option(&base, "base", "run the plan's Checks as before any work")
	c.option(&accept, "accept", "with --base: accept that `CHECK` fails: its text, or its number among Checks")
	of := c.define("verify", "[<step>]", "run the checks on the tree as it is, without an agent", c.do(anyNumber, func() error {
		if base {
			return verifyBase(c, plan, accept)
		}
		var err error
		switch {
		case len(c.args) > 1:
			err = c.misused("verify takes at most one argument")
		case accept != "":
			err = c.misused("--accept needs --base")
		default:
			err = withCheckout(c.Context, func(co *checkout.Checkout) error { return verify(c, co, plan) })
		}
		var failed *runner.CheckFailure
		switch {
		case err == nil:
			return nil
		case errors.As(err, &failed):
			exit.Report(c.Err, &fault.Fault{Kind: fault.ErrChecksFailed, Text: failed.Error()})
			return &exit.Ended{Code: exit.Error}
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		}
		return cannotCheck(c.Err, err)
	}))
	of.OnUsageError = func(x *cli.Context, err error, sub bool) error {
		return cannotCheck(x.App.ErrWriter, usageError(x, err, sub))
	}
	return of
}

// cannotCheck returns the error for which git bisect skips a commit; 2 would mark it as bad.
func cannotCheck(w io.Writer, err error) error {
	exit.Report(w, err)
	return &exit.Ended{Code: exit.CannotCheck}
}

func verify(c *command, co *checkout.Checkout, named string) error {
	if err := co.LoadFor(c.Context, named); err != nil {
		return err
	}
	if err := co.RequireApproval(); err != nil {
		return err
	}
	p := co.Doc.Plan
	of, hint := "the plan", "give it Checks, or a step a Check: git plan edit"
	var checks [][]plan.Check
	if len(c.args) == 1 {
		step, err := stepOf(co, c.arg(0))
		if err != nil {
			return err
		}
		of, hint = "step "+step.ID, "give it a Check: git plan edit "+step.ID
		checks = append(checks, step.Checks)
	} else {
		for _, s := range p.Steps {
			if co.Progress == nil || co.Progress.Steps[s.ID].State != progress.StateSkipped {
				checks = append(checks, s.Checks)
			}
		}
		checks = append(checks, p.Verification)
	}
	commands := plan.Commands(append(checks, p.Checks)...)
	if len(commands) == 0 {
		return &exit.Wrong{Text: of + " has no command to check with", Hint: hint}
	}
	shown, w := newShow(c, co, nil)
	defer shown.end()
	if err := w.Runner.PersonsChecks("verify", journal.Notice{}).Run(c.Context, commands); err != nil {
		return err
	}
	say(c.Err, "%s passed", visible.Count(len(commands), "check"))
	return nil
}

func verifyBase(c *command, of, accept string) error {
	if len(c.args) > 0 || of != "" {
		return c.misused("--base runs the Checks of this branch's plan")
	}
	return withSteps(c, func(s *gitplan.Steps) error {
		return s.Baseline(c.Context, func(b *work.Baseline) error {
			if accept == "" {
				return b.PlanChecks(c.Context)
			}
			why, err := b.Accept(c.Context, accept)
			if err == nil {
				say(c.Err, "accepted: %s; it fails no step until it passes", why)
			}
			return err
		})
	})
}
