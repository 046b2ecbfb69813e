package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/mcp"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
)

func mcpCommand() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "offer the plan to your own agent, as a server of the Model Context Protocol",
		Description: "An agent starts this, and talks to it on standard input and output. It has six tools, each\n" +
			"of which runs a command of git plan in the current repository: status, show, next, done, block,\n" +
			"and review, which only reads. Approving, editing, dismissing and running sessions is yours.\n" +
			"git plan skill does the same without a server.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if terminal.Is(os.Stdin) {
				return &exit.Wrong{Text: "git plan mcp is for an agent, which talks to it on standard input", Hint: addServer}
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			err = (&mcp.Server{Program: program, Version: versionText()}).Serve(c.Context)
			if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
				return &exit.Wrong{Text: "what comes on standard input is not the Model Context Protocol: " + err.Error(), Hint: addServer}
			}
			return err
		},
	}
}

const addServer = "have an agent start it: claude mcp add git-plan -- git plan mcp; others: man gitplan-agents"
