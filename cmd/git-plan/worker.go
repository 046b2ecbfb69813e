package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/remote/worker"
)

func workerCommand() *cli.Command {
	return &cli.Command{
		Name: "worker", Usage: "run one session for a git plan on another machine, which starts this by a launcher",
		Description: "A launcher (planLauncher.NAME.command) connects its standard input and output with this on the\n" +
			"machine where a session is to run. It speaks with git plan, not with people, and ends with the\n" +
			"session, or with its input. gitplan-elsewhere(7) says how it is set up.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return worker.Serve(c.Context, versionText(), os.Stdin, os.Stdout)
		},
	}
}
