package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/stats"
)

func statsCommand() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "show time, tokens, cost, attempts and interventions",
		Description: "An intervention is what a person does to the plan between two sessions once work has\n" +
			"begun, such as answering, editing, reopening or skipping a step, or fixing by hand what\n" +
			"a review could not. Approvals are not interventions. The mean time between interventions\n" +
			"is the time of the sessions whose work was kept, divided by their number. What an agent\n" +
			"does not report, such as tokens, is unknown, not zero. gitplan-statistics(7) defines\n" +
			"each number.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "for all plans of the repository"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if c.Bool("all") {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, statsOfAll) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, statsOfOne) })
		},
	}
}

func statsOfOne(c *cli.Context, co *checkout.Checkout) error {
	return printStats(c, []progress.Past{progress.PastOf(co.Doc)})
}

func statsOfAll(c *cli.Context, co *checkout.Checkout) error {
	pasts, err := progress.Pasts(c.Context, co.Store)
	if err != nil {
		return err
	}
	return printStats(c, pasts)
}

func printStats(c *cli.Context, pasts []progress.Past) error {
	s := stats.Measure(pasts)
	if c.Bool("json") {
		return views.JSON(c.App.Writer, s)
	}
	return views.Stats(c.App.Writer, terminal.Width(os.Stdout), s)
}
