package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// arrange puts options before arguments, as git allows any order, and makes a goal of several words git plan new.
func arrange(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	at, flags := 1, app.Flags
	commands, named := app.Commands, false
	out := args[:1:1]
	for at < len(args) {
		word := args[at]
		if word == "-C" && at+1 < len(args) {
			out = append(out, word, args[at+1])
			at += 2
			continue
		}
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(word) })
		if i < 0 {
			break
		}
		out, named = append(out, word), true
		flags, commands = commands[i].Flags, commands[i].Subcommands
		at++
	}
	if !named {
		planner := app.Command("new")
		if options, goal := splitOptions(planner.Flags, args[at:]); len(goal) == 1 && strings.ContainsAny(strings.TrimSpace(goal[0]), " \t\n") {
			return append(append(append(out, planner.Name), options...), goal...)
		}
	}
	options, rest := splitOptions(flags, args[at:])
	if !named && len(rest) > 0 && rest[0] == args[at] {
		return append(out, args[at:]...) // these are the options of the misspelt command
	}
	return append(append(out, options...), rest...)
}

// splitOptions separates options with their values from arguments; help overrides all.
func splitOptions(flags []cli.Flag, args []string) (options, rest []string) {
	for at := 0; at < len(args); at++ {
		word := args[at]
		if word == "--" {
			rest = append(rest, args[at:]...)
			break
		}
		if len(word) < 2 || word[0] != '-' {
			rest = append(rest, word)
			continue
		}
		if name := strings.TrimLeft(word, "-"); name == "h" || name == "help" {
			return []string{word}, nil
		}
		switch {
		case !takesValue(flags, word):
			options = append(options, word)
		case at+1 < len(args):
			at++
			options = append(options, word, args[at])
		default:
			options = append(options, word+"=") // no argument is its value
		}
	}
	return options, rest
}

// unknownCommand returns the error for an unknown command, or for a goal without quotes.
func unknownCommand(app *cli.App, words []string) *exit.Wrong {
	w := &exit.Wrong{Text: fmt.Sprintf("%q is not a git plan command", visible.Line(words[0])), Hint: "see the commands: git plan help -a"}
	var names []string
	for _, c := range app.Commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	near := plan.Nearest(words[0], names)
	switch {
	case near != "":
		w.Text += fmt.Sprintf("; did you mean %s?", near)
		w.Hint = "git plan " + near
	case len(words) > 1:
		w.Text += "; a goal is one argument: put it in quotes"
		w.Hint = fmt.Sprintf("git plan %q", visible.Line(strings.Join(words, " ")))
	default:
		w.Hint += "; for a goal of one word: git plan new " + visible.Shell(words[0])
	}
	return w
}

// emptyValue refuses an option with an empty value, as of an unset variable in a script.
func emptyValue(x *cli.Context) error {
	for _, f := range x.Command.Flags {
		if f, ok := f.(*cli.StringFlag); ok && f.Destination != nil && *f.Destination == "" && x.IsSet(f.Name) {
			return usageError(x, errors.New("flag needs an argument: -"+f.Name), false)
		}
	}
	return nil
}

var badValue = visible.NewPattern(`^invalid (boolean )?value (".*") for (?:flag )?-([\w-]+): `)

// usageError returns what the flag package says of a command's options, as a person types them.
func usageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "option " + dashed(name) + " needs a value"
	}
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var names []string
		for _, f := range c.Command.Flags {
			names = append(names, dashed(f.Names()[0]))
		}
		text = "unknown option " + dashed(name) + plan.DidYouMean(dashed(name), names)
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		text = dashed(m[3]) + " is a number, not " + m[2]
		if m[1] != "" {
			text = dashed(m[3]) + " takes no value"
		}
	}
	return &exit.Wrong{Text: text, Command: fullName(c)}
}
