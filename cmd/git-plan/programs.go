package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/mcp"
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
		Action: c.do(func() error {
			if err := c.arguments(1); err != nil {
				return err
			}
			if _, ok := proc.Find("go"); !ok {
				return errors.New("the demo's project is a Go program, and there is no go on PATH: https://go.dev/dl")
			}
			drawn := c.Out == os.Stdout && terminal.Is(os.Stdout) && terminal.Is(os.Stderr)
			d, err := newDemo(c.Context, c.Out, c.arg(0), drawn, drawn && terminal.Attended() && !noPause)
			if err != nil {
				return err
			}
			err = d.play()
			if c.Context.Err() != nil { // Ctrl-C: whoever did not want to see the rest does not want the folder
				_ = os.RemoveAll(d.top)
				say(c.Err, "The demo's folder is removed.")
				return &exit.Ended{Code: exit.Interrupted}
			}
			return err
		}),
	}
}

func mcpCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "mcp", Usage: "offer the plan to your own agent, as a server of the Model Context Protocol",
		Description: "An agent starts this, and talks to it on standard input and output. It has six tools, each\n" +
			"of which runs a command of git plan in the current repository: status, show, next, done, block,\n" +
			"and review, which only reads. Approving, editing, dismissing and running sessions is yours.\n" +
			"git plan skill does the same without a server.",
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
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
		}),
	}
}

const addServer = "have an agent start it: claude mcp add git-plan -- git plan mcp; others: man gitplan-agents"

func workerCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "worker", Hidden: true, Usage: "run one session for a git plan on another machine, which starts this by a launcher",
		Description: "A launcher (planLauncher.NAME.command) connects its standard input and output with this on the\n" +
			"machine where a session is to run. It speaks with git plan, not with people, and ends with the\n" +
			"session, or with its input. gitplan-elsewhere(7) says how it is set up.",
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
				return err
			}
			return remote.Serve(c.Context, versionText(), os.Stdin, os.Stdout)
		}),
	}
}
