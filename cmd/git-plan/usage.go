package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// misused returns an error of usage, with the usage of the command as its hint.
func misused(c *cli.Context, format string, args ...any) error {
	return &exit.Wrong{Text: fmt.Sprintf(format, args...), Command: fullName(c)}
}

// arguments refuses more arguments than a command takes.
func arguments(c *cli.Context, most int) error {
	if c.NArg() > most {
		return misused(c, "%s takes %s", c.Command.Name, map[int]string{0: "no argument", 1: "at most one argument", 2: "at most two arguments"}[most])
	}
	return nil
}

// exactly refuses more or fewer arguments than a command takes.
func exactly(c *cli.Context, n int) error {
	if c.NArg() < n {
		return misused(c, "%s needs %s", c.Command.Name, c.Command.ArgsUsage)
	}
	return arguments(c, n)
}

// fullName returns what comes after git plan: a command, or one and its subcommand.
func fullName(c *cli.Context) string {
	return strings.TrimSpace(strings.TrimPrefix(c.Command.HelpName, c.App.HelpName))
}

func say(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// nothingToDo says so if that is no failure: everywhere but in step and next, which may be called
// in a loop.
func nothingToDo(c *cli.Context, err error) error {
	if errors.Is(err, fault.ErrNothingLeft) {
		say(c.App.ErrWriter, "%s", visible.Text(err.Error()))
		return nil
	}
	return err
}
