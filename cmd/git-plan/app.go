package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// groups are the commands that git plan help -a and the manual list, in that order.
func groups() []pages.Group {
	return []pages.Group{
		{Title: "Start", Commands: []*cli.Command{newCommand(), editCommand(), lintCommand(), approveCommand(), listCommand(), attachCommand(), dropCommand()}},
		{Title: "Work", Commands: []*cli.Command{runCommand(), stepCommand(), stopCommand(), statusCommand(), showCommand(), logCommand(), nextCommand(), doneCommand(), verifyCommand(), webCommand()}},
		{Title: "Fix", Commands: []*cli.Command{answerCommand(), replanCommand(), stateCommand("reopen", "reopened"), stateCommand("skip", "skipped"), stateCommand("block", "blocked"), undoCommand(), attemptsCommand()}},
		{Title: "Review", Commands: []*cli.Command{reviewCommand(), dismissCommand()}},
		{Title: "Share", Commands: []*cli.Command{pushCommand(), fetchCommand(), prCommand(), exportCommand()}},
		{Title: "Set up", Commands: []*cli.Command{initCommand(), doctorCommand(), configCommand(), hooksCommand()}},
	}
}

// firstScreen are the commands that git plan -h lists.
var firstScreen = []string{"new", "edit", "approve", "run", "step", "status", "show", "log", "next", "done", "answer", "replan", "undo", "review", "push", "doctor"}

// firstGroups are the groups with the commands of the first screen.
func firstGroups() []pages.Group {
	all := groups()
	for i := range all {
		all[i].Commands = slices.DeleteFunc(all[i].Commands, func(c *cli.Command) bool { return !slices.Contains(firstScreen, c.Name) })
	}
	return slices.DeleteFunc(all, func(g pages.Group) bool { return len(g.Commands) == 0 })
}

// commands returns all of them: also those that help names in one line, and those that only programs run.
func commands() []*cli.Command {
	var all []*cli.Command
	for _, g := range groups() {
		all = append(all, g.Commands...)
	}
	all = append(all, completionCommand(), demoCommand(), manCommand(), mcpCommand(), skillCommand(), versionCommand())
	return append(all, hookCommand(), completeCommand(), workerCommand())
}

// fastCommands are those that people and their shells' prompts run all the time. They only read, so
// they need no signal handling, nor the table of the other commands: that saves a millisecond.
var fastCommands = map[string]func() *cli.Command{"status": statusCommand, "list": listCommand, "version": versionCommand}

func newApp(commands ...*cli.Command) *cli.App {
	cli.HelpPrinter = pages.HelpPrinter(firstGroups)
	var dir string
	app := &cli.App{
		Name:      "git-plan",
		HelpName:  "git plan",
		Usage:     "have coding agents work through a plan, and prove each step",
		UsageText: "git plan [-C <dir>] <command> [<options>]\ngit plan \"<goal of several words>\" [<options of new>]",
		Writer:    os.Stdout,
		ErrWriter: os.Stderr,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Destination: &dir, Usage: "run as if started in `DIR`"},
		},
		Commands:        commands,
		Before:          func(*cli.Context) error { return chdir(dir) },
		Action:          rootAction,
		OnUsageError:    usageError,
		ExitErrHandler:  func(*cli.Context, error) {}, // run prints the error, once
		HideHelpCommand: true,
		// A comma may be part of a file's name.
		DisableSliceFlagSeparator: true,
		Version:                   versionText(),
		CustomAppHelpTemplate:     pages.AppHelp,
	}
	for _, c := range app.Commands {
		normalizeCommand(app.HelpName, c)
	}
	return app
}

// normalizeCommand makes a command behave like the others: one kind of usage error and of help, no help
// command of its own, no "(default: false)".
func normalizeCommand(parent string, c *cli.Command) {
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
		normalizeCommand(name, sub)
	}
}

func chdir(dir string) error {
	if dir == "" {
		return nil
	}
	return os.Chdir(dir)
}

// rootAction is `git plan` without a command: the status. A goal of several words is a command, see
// arrange; a single unknown word is never taken for a goal.
func rootAction(x *cli.Context) error {
	switch {
	case x.NArg() == 0:
		c := new(command)
		return c.do(func() error { return overview(c) })(x)
	case x.Args().First() == "help":
		return help(x)
	}
	return unknownCommand(x.App, x.Args().Slice())
}

// help is `git plan help`, like git's own: with -a for all commands; for a command the same as -h,
// for a topic of the manual its page.
func help(x *cli.Context) error {
	word := x.Args().Get(1)
	switch {
	case word == "-a" || word == "--all":
		cli.HelpPrinter = pages.HelpPrinter(groups)
		return cli.ShowAppHelp(x)
	case x.NArg() == 1 || word == "help":
		return cli.ShowAppHelp(x)
	case x.App.Command(word) == nil:
		if page, ok := manual(x.App).Page(word); ok {
			return page.Show(x.Context, x.App.Writer)
		}
		return unknownCommand(x.App, []string{word})
	}
	return cli.ShowCommandHelp(x, word)
}

// command is one invocation: its words, where it reads and writes, and the options that many have.
type command struct {
	Context  context.Context
	Out, Err io.Writer
	app      *cli.App
	name     string // the last word of its name, as step
	full     string // what follows git plan, as hooks install
	takes    string // its arguments, as help shows them
	args     []string

	yes, plain, events bool
	prompts            bool // it runs sessions, or prints the prompt of one
	notifies           bool // others hear how it ended
	whole              bool // it works through a whole plan
	approves           bool // it is git plan approve, which shows what changed
	goal               bool // it has a planner make a plan
}

// do returns what the library calls for a command: it fills in c, and does it.
func (c *command) do(f func() error) cli.ActionFunc {
	return func(x *cli.Context) error {
		c.Context, c.Out, c.Err, c.app = x.Context, x.App.Writer, x.App.ErrWriter, x.App
		c.name, c.full, c.takes = x.Command.Name, fullName(x), x.Command.ArgsUsage
		c.args = x.Args().Slice()
		if err := emptyValue(x); err != nil {
			return err
		}
		return f()
	}
}

// arg returns an argument, or "".
func (c *command) arg(n int) string {
	if n < len(c.args) {
		return c.args[n]
	}
	return ""
}

// yesFlag accepts beforehand what a person would be asked.
func (c *command) yesFlag(usage string) cli.Flag {
	return &cli.BoolFlag{Name: "yes", Destination: &c.yes, Usage: usage}
}

func (c *command) eventsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json-events", Destination: &c.events, Usage: "one JSON object per line, for programs"}
}

func (c *command) plainFlag() cli.Flag {
	return &cli.BoolFlag{Name: "plain", Destination: &c.plain, Usage: "print plain lines with the time; redraw nothing"}
}

// misused returns an error of usage, with the usage of the command as its hint.
func (c *command) misused(format string, args ...any) error {
	return &exit.Wrong{Text: fmt.Sprintf(format, args...), Command: c.full}
}

// arguments refuses more arguments than a command takes.
func (c *command) arguments(most int) error {
	if len(c.args) > most {
		return c.misused("%s takes %s", c.name, map[int]string{0: "no argument", 1: "at most one argument", 2: "at most two arguments"}[most])
	}
	return nil
}

// exactly refuses more or fewer arguments than a command takes.
func (c *command) exactly(n int) error {
	if len(c.args) < n {
		return c.misused("%s needs %s", c.name, c.takes)
	}
	return c.arguments(n)
}

// fullName returns what comes after git plan: a command, or one and its subcommand.
func fullName(x *cli.Context) string {
	return strings.TrimSpace(strings.TrimPrefix(x.Command.HelpName, x.App.HelpName))
}

func say(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// nothingToDo says so if that is no failure: everywhere but in step and next, which may be called
// in a loop.
func nothingToDo(c *command, err error) error {
	if errors.Is(err, fault.ErrNothingLeft) {
		say(c.Err, "%s", visible.Text(err.Error()))
		return nil
	}
	return err
}
