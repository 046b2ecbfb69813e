package main

import (
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/remote"
)

func demoCommand() *cli.Command {
	c := new(command)
	var noPause bool
	return &cli.Command{
		Name: "demo", Usage: "watch a whole run in a throwaway repository; no key needed", ArgsUsage: "[<folder>]",
		Description: "Needs git and Go, no key and no network: the program, the tools, the checks and the\n" +
			"commits are real, only the model's words are recorded. At a terminal, Enter goes on. The\n" +
			"folder is left for you to look around in, unless Ctrl-C ends the demo.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "no-pause", Destination: &noPause, Usage: "do not wait for Enter"}},
		Action: c.do(1, func() error {
			if _, ok := proc.Find("go"); !ok {
				return errors.New("the demo's project is a Go program, and there is no go on PATH: https://go.dev/dl")
			}
			drawn := c.Out == os.Stdout && terminal.Is(os.Stdout) && terminal.Is(os.Stderr)
			d, err := newDemo(c.Context, c.Out, c.arg(0), drawn, drawn && terminal.Attended() && !noPause)
			if err != nil {
				return err
			}
			err = d.play()
			if c.Context.Err() != nil { // after Ctrl-C the folder is not wanted either
				_ = os.RemoveAll(d.top)
				say(c.Err, "The demo's folder is removed.")
				return &exit.Ended{Code: exit.Interrupted}
			}
			return err
		}),
	}
}

func workerCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "worker", Hidden: true, Usage: "run one session for a git plan on another machine, which starts this by a launcher",
		Description: "A launcher (planLauncher.NAME.command) connects its standard input and output with this on the\n" +
			"machine where a session is to run. It speaks with git plan, not with people, and ends with the\n" +
			"session, or with its input. gitplan-elsewhere(7) says how it is set up.",
		Action: c.do(0, func() error {
			return remote.Serve(c.Context, versionText(), os.Stdin, os.Stdout)
		}),
	}
}
