package commandline

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/pages"
)

// Arrange puts options before arguments, as git allows them in any order: the flag package stops
// at the first argument. What follows "--" stays. A goal of several words becomes git plan new
// with that goal.
func Arrange(app *cli.App, args []string) []string {
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
		if options, goal := apart(planner.Flags, args[at:]); len(goal) == 1 && strings.ContainsAny(strings.TrimSpace(goal[0]), " \t\n") {
			return append(append(append(out, planner.Name), options...), goal...)
		}
	}
	options, rest := apart(flags, args[at:])
	if !named && len(rest) > 0 && rest[0] == args[at] {
		return append(out, args[at:]...) // the options are those of the misspelt command
	}
	return append(append(out, options...), rest...)
}

// apart separates arguments into options, with their values, and the others. A request for help
// gets the command's help, wherever the option is.
func apart(flags []cli.Flag, args []string) (options, rest []string) {
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
		options = append(options, word)
		if pages.TakesValue(flags, word) && at+1 < len(args) {
			at++
			options = append(options, args[at])
		}
	}
	return options, rest
}
