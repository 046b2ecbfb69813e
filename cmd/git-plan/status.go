package main

import (
	"errors"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func statusCommand(c *command) *cli.Command {
	var porcelain, json bool
	c.option(&porcelain, "porcelain", "stable lines for programs")
	c.option(&json, "json", "one JSON object for programs")
	return c.define("status", "", "show where the plan is and what comes next", c.inRepo(0, func(co *checkout.Checkout) error {
		if porcelain && json {
			return c.misused("--porcelain and --json cannot be used together")
		}
		err := printStatus(c, co, porcelain, json)
		if porcelain && errors.Is(err, fault.ErrNoPlan) {
			return nil
		}
		return err
	}))
}

func printStatus(c *command, co *checkout.Checkout, porcelain, json bool) error {
	if err := co.LoadToRead(c.Context); err != nil {
		return err
	}
	s, err := status.Of(c.Context, co)
	switch {
	case err != nil:
		return err
	case porcelain:
		views.Porcelain(c.Out, s)
	case json:
		return views.JSON(c.Out, s)
	default:
		views.Standing(c.Context, c.Out, co, s)
	}
	return nil
}

// overview is git plan without a command: the status, or without a plan how to begin.
func overview(c *command, co *checkout.Checkout) error {
	none := printStatus(c, co, false, false)
	if !errors.Is(none, fault.ErrNoPlan) {
		return none
	}
	say(c.Out, "%s", none)
	fetch := ""
	if errors.Is(none, fault.ErrPlanPushed) {
		fetch = "\n  git plan fetch             gets the one that was pushed for this branch"
	}
	terminal.FoldText(c.Out, terminal.Width(os.Stdout), `
  git plan "what you want"   lets a model read the repository and write one
  git plan new -F FILE       takes one from a file
  git plan new               opens your editor on a template`+fetch+`
  git plan demo              shows it end to end, in a throwaway repository`)
	plans, err := co.Plans(c.Context)
	if len(plans) > 0 {
		terminal.Println(c.Out, "\nOther branches have plans:")
	}
	for _, p := range plans {
		say(c.Out, "  %s", p.Subject)
	}
	return err
}

func listCommand(c *command) *cli.Command {
	return c.define("list", "", "list the plans of the repository", c.inPager(0, func(co *checkout.Checkout) error {
		plans, err := status.List(c.Context, co)
		if err != nil {
			return err
		}
		var rows [][]any
		paint := views.Colors(co, os.Stdout)
		for _, p := range plans {
			far, state := "-", p.State
			if p.Total > 0 {
				far = progress.Far(p.Done, p.Skipped, p.Total)
			}
			if p.Unattached != "" {
				state += ", its branch " + p.Unattached
			}
			here := map[bool]string{true: "* ", false: "  "}[p.Here] + p.Branch
			n, unit := max(int(time.Since(p.Time)/time.Second), 0), "second"
			for i, of := range []int{60, 60, 24} {
				if n < of {
					break
				}
				n, unit = n/of, []string{"minute", "hour", "day"}[i]
			}
			age := visible.Count(n, unit) + " ago"
			rows = append(rows, []any{here, far, views.InColor(paint, progress.State(p.State), state), age, p.ID})
		}
		return terminal.Table(c.Out, terminal.Width(os.Stdout), rows)
	}))
}
