package main

import (
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/commandline"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
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
// commandline.Arrange; a single unknown word is never taken for a goal.
func bare(c *cli.Context) error {
	switch {
	case c.NArg() == 0:
		return overview(c)
	case c.Args().First() == "help":
		return help(c)
	}
	return commandline.Unknown(c.App, c.Args().Slice())
}

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
		return commandline.NoCommand(c.App, word)
	}
	return cli.ShowCommandHelp(c, word)
}
