package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// groups are all commands except the hidden ones, in the order in which -h and the manual show
// them.
func groups() []pages.Group {
	return []pages.Group{
		{Title: "Start", Commands: []*cli.Command{newCommand(), editCommand(), lintCommand(), critiqueCommand(), diffCommand(), approveCommand(), listCommand(), attachCommand(), dropCommand()}},
		{Title: "Work", Commands: []*cli.Command{runCommand(), stepCommand(), stopCommand(), statusCommand(), showCommand(), logCommand(), nextCommand(), doneCommand(), verifyCommand(), statsCommand(), webCommand()}},
		{Title: "Fix", Commands: []*cli.Command{answerCommand(), replanCommand(), stateCommand("reopen", "reopened"), stateCommand("skip", "skipped"), stateCommand("block", "blocked"), undoCommand(), attemptsCommand(), baselineCommand()}},
		{Title: "Review", Commands: []*cli.Command{reviewCommand(), dismissCommand()}},
		{Title: "Share", Commands: []*cli.Command{pushCommand(), fetchCommand(), prCommand(), exportCommand()}},
		{Title: "Set up", Commands: []*cli.Command{initCommand(), doctorCommand(), configCommand(), hooksCommand(), skillCommand(), mcpCommand(), workerCommand(), demoCommand(), manCommand(), completionCommand(), versionCommand()}},
	}
}

// commands returns all of them.
func commands() []*cli.Command {
	var all []*cli.Command
	for _, g := range groups() {
		all = append(all, g.Commands...)
	}
	return append(all, hookCommand(), completeCommand())
}

// glances are the commands that people and their shells' prompts run all the time. They only
// read, so a signal ends them like a command of git, and they are set up without the other
// commands: together that saves a millisecond.
var glances = map[string]func() *cli.Command{"status": statusCommand, "list": listCommand, "version": versionCommand}

func newApp(commands ...*cli.Command) *cli.App {
	cli.HelpPrinter = pages.HelpPrinter(groups)
	app := &cli.App{
		Name:      "git-plan",
		HelpName:  "git plan",
		Usage:     "have coding agents work through a plan, and prove each step",
		UsageText: "git plan [-C <dir>] <command> [<options>]\ngit plan \"<goal of several words>\" [<options of new>]",
		Writer:    os.Stdout,
		ErrWriter: os.Stderr,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "run as if started in `DIR`"},
		},
		Commands:        commands,
		Before:          func(c *cli.Context) error { return chdir(c.String("C")) },
		Action:          bare,
		OnUsageError:    usageError,
		ExitErrHandler:  func(*cli.Context, error) {}, // run prints the error, once
		HideHelpCommand: true,
		// A comma may be part of a file's name.
		DisableSliceFlagSeparator: true,
		Version:                   versionText(),
		CustomAppHelpTemplate:     pages.AppHelp,
	}
	for _, c := range app.Commands {
		likeGit(app.HelpName, c)
	}
	return app
}

// likeGit makes a command behave like the others: one kind of usage error and of help, no help
// command of its own, no "(default: false)".
func likeGit(parent string, c *cli.Command) {
	name := parent + " " + c.Name
	c.HideHelpCommand = true
	if c.OnUsageError == nil {
		c.OnUsageError = usageError
	}
	c.UsageText, c.Description = pages.Synopsis(name, c), strings.Join(pages.Paragraphs(c.Description), "\n\n")
	for _, f := range c.Flags {
		switch f := f.(type) {
		case *cli.BoolFlag:
			f.DisableDefaultText = true
		case *cli.IntFlag:
			f.DefaultText = "as configured"
		}
	}
	for _, sub := range c.Subcommands {
		likeGit(name, sub)
	}
}

func chdir(dir string) error {
	if dir == "" {
		return nil
	}
	return os.Chdir(dir)
}

// bare is `git plan` without a command: the status. A goal of several words is a command, see
// arrange; a single unknown word is never taken for a goal.
func bare(c *cli.Context) error {
	word := c.Args().First()
	switch {
	case c.NArg() == 0:
		return overview(c)
	case word == "help":
		return help(c)
	}
	options, words := apart(c.App.Command("new").Flags, c.Args().Slice())
	more := ""
	if len(words) > 1 {
		more = "; a goal is one argument: put it in quotes"
	}
	unknown := noCommand(c.App, word, more)
	if len(words) > 2 && !misspelt(word, unknown.Command) { // a goal without its quotes, even if its first word resembles a command
		unknown = &exit.Wrong{Text: fmt.Sprintf("%q is not a git plan command", visible.Line(word)) + more}
	}
	switch {
	case unknown.Command != "":
		unknown.Hint = "git plan " + strings.Join(append([]string{unknown.Command}, quotedWords(c.Args().Tail())...), " ")
	case len(words) > 1 && !strings.HasPrefix(word, "-"):
		goal := fmt.Sprintf("git plan %q", visible.Line(strings.Join(words, " ")))
		unknown.Hint = strings.Join(append([]string{goal}, quotedWords(options)...), " ")
	case len(words) == 1 && !strings.HasPrefix(word, "-"):
		unknown.Hint = fmt.Sprintf("see the commands: git plan -h; or, if it is what you want done: git plan new %q", visible.Line(word))
	}
	return unknown
}

// misspelt reports whether a word is a command's name but for one slip.
func misspelt(word, command string) bool { return command != "" && markdown.Near(command, word, 1) }

// help is `git plan help`, like git's own: for a command the same as -h, for a topic of the
// manual its page.
func help(c *cli.Context) error {
	word := c.Args().Get(1)
	switch {
	case c.NArg() == 1 || word == "help":
		return cli.ShowAppHelp(c)
	case c.App.Command(word) == nil:
		if page, ok := manual(c.App).Page(word); ok {
			return page.Show(c.Context, c.App.Writer)
		}
		return noCommand(c.App, word, "")
	}
	return cli.ShowCommandHelp(c, word)
}

// noCommand returns the error for a word that is not a command, with the command that may have
// been meant.
func noCommand(app *cli.App, word, more string) *exit.Wrong {
	text, near := fmt.Sprintf("%q is not a git plan command", visible.Line(word))+more, nearest(app, word)
	if near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return &exit.Wrong{Text: text, Command: near}
}

// quotedWords returns arguments quoted for a shell.
func quotedWords(words []string) (out []string) {
	for _, w := range words {
		out = append(out, visible.Shell(w))
	}
	return out
}

// meant are words that people type when they mean another command.
var meant = map[string]string{
	"start": "run", "go": "run", "exec": "run", "execute": "run", "resume": "run", "continue": "run",
	"ls": "list", "plans": "list", "create": "new", "add": "new", "make": "new", "watch": "log -f", "follow": "log -f", "tail": "log -f",
	"rm": "drop", "delete": "drop", "remove": "drop", "abandon": "drop", "cancel": "drop", "abort": "drop", "setup": "init", "commit": "done", "finish": "done", "retry": "reopen",
	"test": "verify", "check": "verify", "revert": "undo", "rollback": "undo", "accept": "approve", "reply": "answer", "settings": "config", "pull": "fetch",
}

// nearest returns the command that a word may have been meant to be.
func nearest(app *cli.App, word string) string {
	if command, ok := meant[strings.ToLower(word)]; ok {
		return command
	}
	names := []string{"help"}
	for _, c := range app.Commands {
		if !c.Hidden && (!takesAway[c.Name] || misspelt(word, c.Name)) {
			names = append(names, c.Name)
		}
	}
	return markdown.Nearest(word, names)
}

// takesAway are the commands that are not proposed for a word which may mean anything: whoever copies
// the hint loses something.
var takesAway = map[string]bool{"drop": true, "undo": true, "skip": true, "dismiss": true, "stop": true}

// arrange puts options before arguments, as git allows them in any order: the flag package stops
// at the first argument. What follows "--" stays. A goal of several words becomes git plan new
// with that goal.
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
