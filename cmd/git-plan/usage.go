package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/pattern"
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

// badValue matches what the flag package says about a value that is not a number, or about one
// for an option that takes none.
var badValue = pattern.Of(`^invalid (boolean )?value (".*") for (?:flag )?-([\w-]+): `)

// usageError returns what the flag package says, with options as a person types them.
func usageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "option " + pages.Dashed(name) + " needs a value"
	}
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text = "unknown option " + pages.Dashed(name)
		if fullName(c) == "new" && name == "run" {
			text += "; to run the plan, too: && git plan run"
		} else if near := nearestOption(c.Command.VisibleFlags(), name); near != "" {
			text += "; did you mean " + pages.Dashed(near) + "?"
		}
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		text = pages.Dashed(m[3]) + " is a number, not " + m[2]
		if m[1] != "" {
			text = pages.Dashed(m[3]) + " takes no value"
		}
	}
	return &exit.Wrong{Text: text, Command: fullName(c)}
}

// nearestOption returns the option that a misspelt one may have been meant to be.
func nearestOption(flags []cli.Flag, name string) string {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return markdown.Nearest(name, names)
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
