package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/mcp"
)

func mcpCommand() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "offer the plan to your own agent, as a server of the Model Context Protocol",
		Description: "An agent starts this, and talks to it on standard input and output. It has six tools, each\n" +
			"of which runs a command of git plan in the current repository: status, show, next, done, block,\n" +
			"and review, which only reads. Approving, editing, dismissing and running sessions is yours.\n" +
			"git plan skill install does the same without a server.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			return (&mcp.Server{Program: program, Version: versionText()}).Serve(c.Context)
		},
	}
}
