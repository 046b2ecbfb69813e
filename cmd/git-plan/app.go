package main

import (
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
		{Title: "Start", Commands: []*cli.Command{newCommand(), editCommand(), lintCommand(), critiqueCommand(), approveCommand(), listCommand(), attachCommand(), dropCommand()}},
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
	all = append(all, completionCommand(), demoCommand(), manCommand(), mcpCommand(), skillCommand(), statsCommand(), versionCommand(), workerCommand())
	return append(all, hookCommand(), completeCommand())
}

// glances are the commands that people and their shells' prompts run all the time. They only
// read, so a signal ends them like a command of git, and they are set up without the other
// commands: together that saves a millisecond.
var glances = map[string]func() *cli.Command{"status": statusCommand, "list": listCommand, "version": versionCommand}

func newApp(commands ...*cli.Command) *cli.App {
	cli.HelpPrinter = pages.HelpPrinter(firstGroups)
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
	switch {
	case c.NArg() == 0:
		return overview(c)
	case c.Args().First() == "help":
		return help(c)
	}
	return unknownCommand(c.App, c.Args().Slice())
}

// help is `git plan help`, like git's own: with -a for all commands; for a command the same as -h,
// for a topic of the manual its page.
func help(c *cli.Context) error {
	word := c.Args().Get(1)
	switch {
	case word == "-a" || word == "--all":
		cli.HelpPrinter = pages.HelpPrinter(groups)
		return cli.ShowAppHelp(c)
	case c.NArg() == 1 || word == "help":
		return cli.ShowAppHelp(c)
	case c.App.Command(word) == nil:
		if page, ok := manual(c.App).Page(word); ok {
			return page.Show(c.Context, c.App.Writer)
		}
		return unknownCommand(c.App, []string{word})
	}
	return cli.ShowCommandHelp(c, word)
}

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
