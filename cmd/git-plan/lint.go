package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

type lintOptions struct {
	*command
	form                 string
	critic, strict, json bool
}

func lintCommand(with *command) *cli.Command {
	c := &lintOptions{command: with}
	c.option(&c.form, "form", "read the file as `FORMAT`, if it is not recognised ("+listed(form.Forms())+")")
	c.option(&c.critic, "critic", "have a session of the critic read the plan of this branch, too")
	c.option(&c.strict, "strict", "exit with 1 for warnings, too")
	c.option(&c.json, "json", "one JSON object for programs")
	return c.define("lint", "[<file>]", "report what is wrong or weak in a plan, with line numbers",
		c.do(1, func() error {
			if !c.critic {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return lintPlan(c, co) })
			}
			if len(c.args) > 0 {
				return c.misused("--critic reads the plan of this branch, not a file")
			}
			return withLock(c.command, func(co *checkout.Checkout, lock *journal.Lock) error {
				shown, w := newShow(c.command, co, lock)
				err := criticise(c.command, w)
				if shown.end(); err != nil {
					return err
				}
				return lintPlan(c, co)
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

func lintPlan(c *lintOptions, co *checkout.Checkout) error {
	found, err := weaknesses(c, co)
	if err != nil {
		return err
	}
	if c.json {
		err = views.JSON(c.Out, map[string]any{"schema": 1, "weaknesses": append([]plan.Weakness{}, found...)}) // never null
	} else {
		views.Weaknesses(c.Out, found, true)
		if len(found) == 0 { // findings go to standard output
			say(c.Err, "nothing to report")
		}
	}
	for _, w := range found {
		if err == nil && (w.Error || c.strict) {
			return &exit.Ended{Code: exit.Error}
		}
	}
	return err
}

func weaknesses(c *lintOptions, co *checkout.Checkout) ([]plan.Weakness, error) {
	kind, err := formNamed(c.command, c.form, form.Forms())
	if err != nil {
		return nil, err
	}
	name := c.arg(0)
	if len(c.args) == 0 {
		if kind != "" {
			return nil, c.misused("--form is for a file")
		}
		if err := co.Load(c.Context); err != nil {
			return nil, err
		}
		if err := proposals(c.command, co, co.Doc.Plan.Base); err != nil {
			return nil, err
		}
		found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
		if c.critic {
			found = append(found, planner.Criticised(co)...)
		}
		return found, err
	}
	in, err := imported(c.command, name, kind)
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
