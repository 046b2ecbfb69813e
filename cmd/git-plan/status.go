package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show where the plan is and what comes next",
		Description: "Boxes: [ ] open, [x] done, [>] running, [!] blocked, [-] skipped, [<] reopened, by git\n" +
			"plan reopen or because its commit left the branch or was reverted (any one of them if\n" +
			"the step has several).",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "a row for every step, even if they do not fit the terminal"},
			&cli.BoolFlag{Name: "porcelain", Usage: "stable lines for programs"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if c.Bool("porcelain") && c.Bool("json") {
				return misused(c, "--porcelain and --json cannot be used together")
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error {
				if err := co.Load(c.Context); err != nil {
					if c.Bool("porcelain") && errors.Is(err, fault.ErrNoPlan) {
						return nil
					}
					return err
				}
				s, err := standing.Of(c.Context, co)
				if err != nil {
					return err
				}
				switch {
				case c.Bool("porcelain"):
					views.Porcelain(c.App.Writer, s)
				case c.Bool("json"):
					s.LookForStale(c.Context, co)
					return views.JSON(c.App.Writer, s)
				default:
					views.Standing(c.Context, c.App.Writer, co, s, c.Bool("all"))
				}
				return nil
			})
		},
	}
}

// overview is `git plan`: it prints the status, or how to start.
func overview(c *cli.Context) error {
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		err := co.Load(c.Context)
		if errors.Is(err, fault.ErrNoPlan) {
			say(c.App.Writer, "%s", err)
			say(c.App.Writer, "")
			say(c.App.Writer, "  git plan \"what you want\"   lets a model read the repository and write one")
			say(c.App.Writer, "  git plan new -F FILE       takes one from a file")
			say(c.App.Writer, "  git plan new               opens your editor on a template")
			if errors.Is(err, fault.ErrPlanPushed) {
				say(c.App.Writer, "  git plan fetch             gets the one that somebody pushed for this branch")
			}
			say(c.App.Writer, "  git plan demo              shows it end to end, in a throwaway repository")
			return elsewhere(c, co)
		}
		if err != nil {
			return err
		}
		s, err := standing.Of(c.Context, co)
		if err == nil {
			views.Standing(c.Context, c.App.Writer, co, s, false)
		}
		return err
	})
}

// elsewhere names the plans of other branches.
func elsewhere(c *cli.Context, co *checkout.Checkout) error {
	plans, err := checkout.ListPlans(c.Context, co.Store)
	if err != nil || len(plans) == 0 {
		return err
	}
	say(c.App.Writer, "")
	say(c.App.Writer, "Other branches have plans:")
	for _, p := range plans {
		say(c.App.Writer, "  %s", visible.Line(p.Subject))
	}
	return nil
}
