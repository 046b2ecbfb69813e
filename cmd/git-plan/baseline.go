package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/prove"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func baselineCommand() *cli.Command {
	return &cli.Command{
		Name: "baseline", Usage: "run the plan's checks before any work, or accept a failure",
		Description: "Each command under Checks passes, fails, lacks a program, or is accepted; those under\n" +
			"Verification may fail before the work. A step's own checks should: those that pass before\n" +
			"it only guard against a regression, which step and run report, too (a run once). What is\n" +
			"known of a tree is not run again.\n" +
			"While a check under Checks fails, step and run start no session and exit with 6, as this command\n" +
			"does.\n\n" +
			"With --accept, a failure fails no step and no fix of a review until the check passes\n" +
			"once; from then on it is required again. This is recorded in the plan, with who did it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "accept", Usage: "accept that `CHECK` fails: its text, or its number among Checks"},
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
			return withSteps(c, func(s *gitplan.Steps) error {
				if c.IsSet("accept") {
					return acceptCheck(c, s)
				}
				list, stops, err := s.Baseline(c.Context)
				if err != nil {
					return err
				}
				if err := printBaseline(c, list); err != nil {
					return err
				}
				return stops
			})
		},
	}
}

func acceptCheck(c *cli.Context, s *gitplan.Steps) error {
	check, err := s.Accept(c.Context, c.String("accept"))
	if err != nil {
		return err
	}
	say(c.App.ErrWriter, "accepted: %s; it fails no step until it passes", visible.Line(check.Reason))
	return nil
}

// printBaseline prints a line for each check. For programs its columns are section, number,
// state, exit code and command, and the id of the step if the check is a step's own.
func printBaseline(c *cli.Context, list []prove.Result) error {
	if c.Bool("json") {
		if list == nil {
			list = []prove.Result{}
		}
		return views.JSON(c.App.Writer, map[string]any{"schema": 1, "checks": list})
	}
	var rows [][]string
	for _, b := range list {
		if c.Bool("porcelain") {
			line := fmt.Sprintf("%s\t%d\t%s\t%d\t%s", b.Section, b.N, b.State, b.Exit, views.Field(b.Command))
			if b.Step != "" {
				line += "\t" + b.Step
			}
			say(c.App.Writer, "%s", line)
			continue
		}
		number, section, state := fmt.Sprint(b.N), b.Section, b.State
		if b.Section != "checks" {
			number = "-"
		}
		if b.Step != "" {
			section = "step " + b.Step
			if state == "passes" {
				state = "passes already"
			}
		}
		rows = append(rows, []string{number, section, state, visible.Line(b.Command)})
	}
	if len(list) == 0 && !c.Bool("porcelain") {
		say(c.App.ErrWriter, "no check of the plan is a command")
	}
	if rows == nil {
		return nil
	}
	return terminal.Table(c.App.Writer, terminal.Width(os.Stdout), nil, rows)
}
