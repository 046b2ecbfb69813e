package main

import (
	"bytes"
	_ "embed" // for appHelp and descriptions
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// appHelp is the template of git plan -h: the commands by their purpose, as in git help.
//
//go:embed help.txt
var appHelp string

// descriptions has a section for each command: what its help and its page say below its usage.
//
//go:embed descriptions.md
var descriptions string

func descriptionOf(command string) string {
	_, text, _ := strings.Cut(descriptions, "\n## "+command+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}

// helpPrinter returns the printer of -h, which folds lines at 80 columns or less.
func helpPrinter(groups func() []group) func(io.Writer, string, any) {
	return func(w io.Writer, template string, data any) {
		if c, ok := data.(*cli.Command); ok {
			c.Description = strings.Join(paragraphs(descriptionOf(strings.TrimPrefix(c.HelpName, "git plan "))), "\n\n")
		}
		var help bytes.Buffer
		cli.HelpPrinterCustom(&help, template, data, map[string]any{"groups": groups})
		term, again := regexp.MustCompile(`^   (\S.*?  +)?`), regexp.MustCompile(` \[ .* \]$`)
		width := min(80, terminal.Width(os.Stdout))
		for line := range strings.Lines(help.String()) {
			line = strings.TrimRight(line, " \n")
			indent := len(term.FindString(line))
			if indent > width/2 {
				terminal.Fold(w, width, indent, "%s", again.ReplaceAllString(strings.TrimRight(line[:indent], " "), ""))
				line, indent = strings.Repeat(" ", 8)+line[indent:], 8
			}
			terminal.Fold(w, width, indent, "%s", line)
		}
	}
}

func paragraphs(text string) []string {
	return strings.Split(strings.NewReplacer("\n\n", "\n\n", "\n", " ").Replace(text), "\n\n")
}

func synopsis(name string, c *cli.Command) string {
	var out []string
	if standsAlone(c) {
		out = append(out, strings.TrimSpace(name+" [<options>] "+c.ArgsUsage))
	}
	if len(c.Subcommands) > 0 {
		out = append(out, name+" <command> [<options>]")
	}
	return strings.Join(out, "\n")
}

func standsAlone(c *cli.Command) bool { return len(c.Subcommands) == 0 || c.ArgsUsage != "" }

// flagText returns the names of a flag, its placeholder (in back quotes in its usage), and its usage.
func flagText(f cli.Flag) (names []string, value, usage string) {
	for _, n := range f.Names() {
		names = append(names, dashed(n))
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		usage = d.GetUsage()
	}
	if _, after, ok := strings.Cut(usage, "`"); ok {
		value, _, _ = strings.Cut(after, "`")
	}
	return names, value, strings.ReplaceAll(usage, "`", "")
}

// dashed returns -n for a letter, and --name.
func dashed(name string) string { return "--"[:min(len(name), 2)] + name }

// flagOf returns the flag that a word names; nil for --name=value.
func flagOf(flags []cli.Flag, word string) cli.Flag {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), strings.TrimLeft(word, "-")) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

func takesValue(flags []cli.Flag, word string) bool {
	f := flagOf(flags, word)
	_, isBool := f.(*cli.BoolFlag)
	return f != nil && !isBool
}

// commandOf returns the command that the first words name, and how many words that are; nil without one.
func commandOf(app *cli.App, words []string) (found *cli.Command, n int) {
	for commands := app.Commands; n < len(words); n++ {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(words[n]) })
		if i < 0 {
			break
		}
		found, commands = commands[i], commands[i].Subcommands
	}
	return found, n
}

// arrange puts options before arguments, as git allows any order, and makes a goal of several words git plan new.
func arrange(app *cli.App, args []string) []string {
	at, flags := 1, app.Flags
	for at+1 < len(args) && args[at] == "-C" {
		at += 2
	}
	command, n := commandOf(app, args[at:])
	at += n
	out := args[:at:at]
	if command != nil {
		flags = command.Flags
	} else {
		planner := app.Command("new")
		options, goal := splitOptions(planner.Flags, args[at:])
		if n := len(goal); (n == 1 || n > 1 && len(options) > 0) && strings.ContainsAny(strings.TrimSpace(goal[0]), " \t\n") {
			return append(append(append(out, planner.Name), options...), goal...)
		}
	}
	options, rest := splitOptions(flags, args[at:])
	if command == nil && len(rest) > 0 && rest[0] == args[at] {
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
		case flagOf(flags, word) == nil && takesValue(flags, word[:2]) && word[2] != '=': // as -j2
			options = append(options, word[:2], word[2:])
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

var badValue = visible.NewPattern(`^invalid (boolean )?value (".*") for (?:flag )?-([\w-]+): `)

// usageError returns what the flag package says of a command's options, as a person types them.
func usageError(c *cli.Context, err error, _ bool) error {
	text, hint := err.Error(), ""
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "option " + dashed(name) + " needs a value"
	}
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var names []string
		for _, f := range c.Command.Flags {
			names = append(names, dashed(f.Names()[0]))
		}
		name = dashed(name)
		text = "unknown option " + name + plan.DidYouMean(name, names)
		if meant := plan.Nearest(name, names); meant != "" && strings.Contains(exit.Typed, " "+name) {
			hint = strings.Replace(exit.Typed, " "+name, " "+meant, 1)
		}
	}
	if m := badValue().FindStringSubmatch(text); m != nil {
		text = dashed(m[3]) + " takes a number, not " + m[2]
		if m[1] != "" {
			text = dashed(m[3]) + " takes no value"
		}
	}
	return &exit.Wrong{Text: text, Command: fullName(c), Hint: hint}
}
