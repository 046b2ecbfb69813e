package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
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
	of := "the plan"
	var checks [][]plan.Check
	if len(c.args) == 1 {
		step, err := stepOf(co, c.arg(0))
		if err != nil {
			return err
		}
		of = "step " + step.ID
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
		return &exit.Wrong{Text: of + " has no command to check with", Hint: "give it one, as a Check: git plan edit"}
	}
	o := newOperation(c, co, nil)
	defer o.end()
	if err := o.worker.Runner.PersonsChecks("verify", journal.Notice{}).Run(c.Context, commands); err != nil {
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
		why, err := s.Baseline(c.Context, accept)
		if err == nil && accept != "" {
			say(c.Err, "accepted: %s; it fails no step until it passes", why)
		}
		return err
	})
}

func lintCommand(c *command) *cli.Command {
	var format string
	var critic, strict, json bool
	c.option(&format, "form", "read the file as `FORMAT`, if it is not recognised ("+listed(form.Forms())+")")
	c.option(&critic, "critic", "have a session of the critic read the plan of this branch, too")
	c.option(&strict, "strict", "exit with 1 for warnings, too")
	c.option(&json, "json", "one JSON object for programs")
	report := func(co *checkout.Checkout) error {
		found, err := weaknesses(c, co, format, critic)
		if err != nil {
			return err
		}
		if json {
			err = views.JSON(c.Out, map[string]any{"schema": 1, "weaknesses": append([]plan.Weakness{}, found...)}) // never null
		} else {
			views.Weaknesses(c.Out, found, true)
			if len(found) == 0 { // findings go to standard output
				say(c.Err, "nothing to report")
			}
		}
		if err == nil && slices.ContainsFunc(found, func(w plan.Weakness) bool { return w.Error || strict }) {
			err = &exit.Ended{Code: exit.Error}
		}
		return err
	}
	return c.define("lint", "[<file>]", "report what is wrong or weak in a plan, with line numbers",
		c.do(1, func() error {
			if len(c.args) > 0 && critic || len(c.args) == 0 && format != "" {
				return c.misused("--critic is for the plan of this branch, --form for a file")
			}
			if !critic {
				return withCheckout(c.Context, report)
			}
			return withLock(c, func(co *checkout.Checkout, lock *journal.Lock) error {
				o := newOperation(c, co, lock)
				err := criticise(c, o.worker)
				if o.end(); err != nil {
					return err
				}
				return report(co)
			})
		}))
}

// criticise has the critic read the plan, and says how many findings count.
func criticise(c *command, w *work.Worker) error {
	dropped, err := planner.Criticise(c.Context, w)
	if err != nil {
		return err
	}
	text := "the critic: " + visible.Count(len(planner.Criticised(w.Checkout)), "finding")
	if dropped > 0 {
		text += fmt.Sprintf("; %d more quote text that is not in the plan, and do not count", dropped)
	}
	say(c.Err, "%s", text)
	return nil
}

// criticised has the configured critic read a new plan; its failure is only reported.
func criticised(c *command, w *work.Worker) error {
	if !w.Checkout.Config.HasCritic() {
		return nil
	}
	if err := criticise(c, w); err != nil {
		exit.Report(c.Err, err)
	}
	return c.Context.Err()
}

func weaknesses(c *command, co *checkout.Checkout, format string, critic bool) ([]plan.Weakness, error) {
	if len(c.args) == 0 {
		if err := co.Load(c.Context); err != nil {
			return nil, err
		}
		if err := proposals(c, co, co.Doc.Plan.Base); err != nil {
			return nil, err
		}
		found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
		if critic {
			found = append(found, planner.Criticised(co)...)
		}
		return found, err
	}
	in, err := imported(c, c.arg(0), format)
	switch wrong := (*plan.ParseError)(nil); {
	case errors.As(err, &wrong) && in != nil: // a plan of our own form
		return lint.Plan(c.Context, co, in.Text)
	case wrong != nil:
		return wrong.Problems, nil
	case err != nil:
		return nil, err
	}
	printImport(c.Err, in)
	return lint.Imported(c.Context, co, in)
}
