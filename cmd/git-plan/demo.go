package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/demo"
	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name: "demo", Usage: "watch a whole run in a throwaway repository; no key needed", ArgsUsage: "[<folder>]",
		Description: "Needs git and Go, no key and no network: the program, the tools, the checks and the\n" +
			"commits are real, only the model's words are recorded. At a terminal, Enter goes on. The\n" +
			"folder is left for you to look around in, unless Ctrl-C ends the demo.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "no-pause", Usage: "do not wait for Enter"}},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			if _, ok := proc.Find("go"); !ok {
				return demo.ErrNoGo
			}
			drawn := c.App.Writer == os.Stdout && terminal.Is(os.Stdout) && terminal.Is(os.Stderr)
			d, err := demo.New(c.Context, c.App.Writer, c.Args().First(), drawn, drawn && terminal.Attended() && !c.Bool("no-pause"))
			if err != nil {
				return err
			}
			err = d.Play()
			if c.Context.Err() != nil { // Ctrl-C: whoever did not want to see the rest does not want the folder
				_ = os.RemoveAll(d.Top)
				say(c.App.ErrWriter, "The demo's folder is removed.")
				return &exit.Ended{Code: exit.Interrupted}
			}
			return err
		},
	}
}
