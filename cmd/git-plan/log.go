package main

import (
	"errors"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/transcript"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func logCommand() *cli.Command {
	return &cli.Command{
		Name: "log", Usage: "show what happened to the plan, newest first", ArgsUsage: "[<step>]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "print the transcript of session `ID`, or of the last one at a step"},
			&cli.BoolFlag{Name: "f", Aliases: []string{"follow"}, Usage: "follow what happens, until Ctrl-C"},
			&cli.BoolFlag{Name: "p", Usage: "show how each event changed the plan's text, word by word"},
			plainFlag(),
			&cli.BoolFlag{Name: "json", Usage: "with --session: print its lines as stored, one JSON object each"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			if c.Bool("json") && !c.IsSet("session") {
				return misused(c, "--json is for --session")
			}
			if c.IsSet("session") {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printSession) })
			}
			if c.Bool("f") {
				return withPlan(c.Context, func(co *checkout.Checkout) error { return printLog(c, co) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printLog) })
		},
	}
}

func printLog(c *cli.Context, co *checkout.Checkout) error {
	only := ""
	if c.NArg() == 1 {
		step, err := stepOf(co, c.Args().First())
		if err != nil {
			return err
		}
		only = step.ID
	}
	if c.Bool("f") {
		return followLog(c, co, only)
	}
	return views.Log(c.Context, c.App.Writer, co, only, c.Bool("p"))
}

// printSession prints a transcript: of the branch's plan, or without one of a
// review.
func printSession(c *cli.Context, co *checkout.Checkout) error {
	if err := co.Load(c.Context); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		return err
	}
	name := c.String("session")
	if co.Doc != nil {
		if step, ok := co.Doc.Plan.Step(name); ok {
			name = step.ID
		}
	}
	f, err := transcript.Open(co, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.Bool("json") {
		_, err := io.Copy(c.App.Writer, f)
		return err
	}
	return agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		say(c.App.Writer, "%s", visible.Line(p.Heading))
		if p.Text != "" {
			say(c.App.Writer, "    %s", strings.ReplaceAll(strings.TrimRight(visible.Text(p.Text), "\n"), "\n", "\n    "))
		}
	})
}
