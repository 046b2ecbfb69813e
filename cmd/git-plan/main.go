package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func main() { os.Exit(run(os.Args)) }

func run(args []string) int {
	debug.SetGCPercent(200) // most commands end before they have allocated 8 MB, and collect no garbage
	if typed := "git plan" + quoted(args[1:]); len(typed) <= 60 {
		exit.Typed = typed
	}
	ctx := interruptible()
	app := newApp(commands()...)
	err := terminal.Written(app.RunContext(ctx, arrange(app, args)))
	exit.Report(os.Stderr, err)
	return exitCode(err)
}

// quoted returns words as a person types them, each after a blank.
func quoted(words []string) (out string) {
	for _, w := range words {
		out += " " + visible.Shell(w)
	}
	return out
}

var (
	firstSignal atomic.Int32           // the signal that came first; 0 without one
	beforeExit  atomic.Pointer[func()] // called before a second signal ends the program at once
)

// interruptible returns a context that ends at the first signal, or with a git plan that runs this one; a second
// signal ends the program at once.
func interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, parent := make(chan os.Signal, 2), proc.HasParent()
	go func() { // in parallel with the rest of the start: it takes half a millisecond, and nothing is under way yet
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		if parent {
			go func() { _, _ = io.Copy(io.Discard, os.Stdin); signals <- os.Interrupt }()
		}
		var began time.Time
		for s := range signals {
			n, _ := s.(syscall.Signal)
			if n == syscall.SIGINT && terminal.Paging() {
				continue
			}
			if firstSignal.CompareAndSwap(0, int32(n)) {
				began = time.Now()
				cancel(fault.ErrInterrupted)
			} else if time.Since(began) >= 400*time.Millisecond { // else git forwards what the terminal has sent us
				code := 128 + int(n)
				if do := beforeExit.Load(); do != nil { // a stopped terminal takes no output
					time.AfterFunc(300*time.Millisecond, func() { os.Exit(code) })
					(*do)()
				}
				os.Exit(code)
			}
		}
	}()
	return ctx
}

func exitCode(err error) int {
	code := exit.Report(io.Discard, err)
	first := syscall.Signal(firstSignal.Load())
	if code == exit.Interrupted && (first == syscall.SIGTERM || first == syscall.SIGQUIT) {
		return 128 + int(first)
	}
	return code
}

type group struct {
	Title    string // as the template of help names it
	Commands []*cli.Command
}

// groups are the commands that git plan help -a and the manual list, in that order.
func groups() []group {
	return []group{
		{"Start", each(newCommand, editCommand, lintCommand, approveCommand, listCommand, attachCommand, dropCommand)},
		{"Work", each(runCommand, stepCommand, stopCommand, statusCommand, showCommand, logCommand, nextCommand, doneCommand,
			verifyCommand, webCommand)},
		{"Fix", each(answerCommand, replanCommand,
			stateCommand("reopen", "reopened", "reopen steps that are done, skipped or blocked"),
			stateCommand("skip", "skipped", "skip steps; they count as done"),
			stateCommand("block", "blocked", "mark steps as blocked"), undoCommand, attemptsCommand)},
		{"Review", each(reviewCommand, dismissCommand)},
		{"Share", each(pushCommand, fetchCommand, prCommand, exportCommand)},
		{"Set up", each(initCommand, doctorCommand, configCommand, hooksCommand)},
	}
}

// each makes commands, each with an invocation of its own.
func each(all ...func(*command) *cli.Command) (out []*cli.Command) {
	for _, of := range all {
		out = append(out, of(new(command)))
	}
	return out
}

var firstScreen = []string{"new", "edit", "approve", "run", "step", "status", "show", "log", "answer", "replan", "undo",
	"attempts", "review", "push", "init", "doctor"}

func firstGroups() []group {
	all := groups()
	for i := range all {
		all[i].Commands = slices.DeleteFunc(all[i].Commands,
			func(c *cli.Command) bool { return !slices.Contains(firstScreen, c.Name) })
	}
	return all
}

// commands returns every command, including those that help only names in one line and those that only programs run.
func commands() []*cli.Command {
	var all []*cli.Command
	for _, g := range groups() {
		all = append(all, g.Commands...)
	}
	return append(all, each(completionCommand, demoCommand, manCommand, mcpCommand, skillCommand, versionCommand,
		hookCommand, completeCommand, workerCommand)...)
}

func newApp(commands ...*cli.Command) *cli.App {
	cli.HelpPrinter = helpPrinter(firstGroups)
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
		Commands: commands,
		Before: func(*cli.Context) error {
			if dir == "" {
				return nil
			}
			return os.Chdir(dir)
		},
		Action:          rootAction,
		OnUsageError:    usageError,
		ExitErrHandler:  func(*cli.Context, error) {}, // run prints the error, once
		HideHelpCommand: true,
		// A comma may be part of a file's name.
		DisableSliceFlagSeparator: true,
		Version:                   versionText(),
		CustomAppHelpTemplate:     appHelp,
	}
	for _, c := range app.Commands {
		normalizeCommand(app.HelpName, c)
	}
	return app
}

// normalizeCommand gives a command the same usage errors and help as the others.
func normalizeCommand(parent string, c *cli.Command) {
	name := parent + " " + c.Name
	c.HideHelpCommand = true
	if c.OnUsageError == nil {
		c.OnUsageError = usageError
	}
	c.UsageText = synopsis(name, c)
	for _, sub := range c.Subcommands {
		normalizeCommand(name, sub)
	}
}

// rootAction is `git plan` without a command: the status, or help.
func rootAction(x *cli.Context) error {
	first, word := x.Args().First(), x.Args().Get(1)
	switch {
	case x.NArg() == 0:
		c := new(command)
		return c.inRepo(0, func(co *checkout.Checkout) error { return overview(c, co) })(x)
	case strings.TrimSpace(first) == "":
		return &exit.Wrong{Text: "the goal is empty", Hint: `say what you want: git plan "what you want"`}
	case first != "help":
		return unknownCommand(x.App, x.Args().Slice())
	case word == "-a" || word == "--all":
		cli.HelpPrinter = helpPrinter(groups)
		x.App.CustomAppHelpTemplate = strings.Replace(appHelp, "All commands: git plan help -a. ", "", 1)
		return cli.ShowAppHelp(x)
	case x.NArg() == 1 || word == "help":
		return cli.ShowAppHelp(x)
	case x.App.Command(word) == nil:
		if page, ok := pageOf(x.App, word); ok {
			return page.show(x.Context, x.App.Writer)
		}
		w := unknownCommand(x.App, []string{word})
		w.Hint, _, _ = strings.Cut(w.Hint, "; for a goal")
		return w
	}
	return cli.ShowCommandHelp(x, word)
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
	case words[0] == "diff":
		w.Hint = "git diff main...; of a step: git show COMMIT; of work that was not committed: git plan attempts show STEP"
	case near != "":
		w.Text += fmt.Sprintf("; did you mean %s?", near)
		w.Hint = "git" + quoted(append([]string{"plan", near}, words[1:]...))
	case len(words) > 1:
		w.Text += "; a goal is one argument: put it in quotes"
		w.Hint = fmt.Sprintf("git plan %q", visible.Line(strings.Join(words, " ")))
	case words[0] != "":
		w.Hint += "; for a goal of one word: git plan new " + visible.Shell(words[0])
	}
	return w
}

// command is one invocation: its words, where it reads and writes, and the options that many have.
type command struct {
	Context  context.Context
	Out, Err io.Writer
	app      *cli.App
	name     string // the last word of its name, as step
	full     string // what follows git plan, as hooks install
	args     []string
	flags    []cli.Flag

	yes, events bool   // accept beforehand what a person would be asked; JSON for programs
	change      string // of the plan, as was shown
	prompts     bool   // it runs sessions, or prints the prompt of one
	notifies    bool   // others hear how it ended
	drawn       bool   // its work is shown on a terminal, and the verdict with it
	runNow      bool   // once it has ended, the plan is run, as a person wants it
}

// do returns what the library calls for a command of at most so many arguments: it fills in c, and does it.
func (c *command) do(most int, f func() error) cli.ActionFunc {
	return func(x *cli.Context) error {
		c.Context, c.Out, c.Err, c.app = x.Context, x.App.Writer, x.App.ErrWriter, x.App
		c.name, c.full = x.Command.Name, fullName(x)
		c.args = x.Args().Slice()
		for _, f := range c.flags { // an option with an empty value, as of an unset variable in a script
			s, ok := f.(*cli.StringFlag)
			if ok && *s.Destination == "" && x.IsSet(s.Name) || slices.Contains(x.StringSlice(f.Names()[0]), "") {
				return usageError(x, errors.New("flag needs an argument: -"+f.Names()[0]), false)
			}
		}
		if len(c.args) > most {
			return c.misused("%s takes %s", c.name,
				map[int]string{0: "no argument", 1: "at most one argument", 2: "at most two arguments"}[most])
		}
		if needs := x.Command.ArgsUsage; len(c.args) == 0 && strings.HasPrefix(needs, "<") {
			return c.misused("%s needs %s", c.full, needs)
		}
		if err := f(); err != nil || !c.runNow {
			return err
		}
		run := *c
		run.args, run.name, run.prompts, run.notifies = nil, "run", true, true
		exit.Typed = "git plan run"
		return runPlan(&workOptions{command: &run, jobs: unset})
	}
}

const anyNumber = math.MaxInt

func (c *command) arg(n int) string {
	if n < len(c.args) {
		return c.args[n]
	}
	return ""
}

// define returns a command with the options that were added to c; args stand for its arguments in its help.
func (c *command) define(name, args, usage string, action cli.ActionFunc) *cli.Command {
	return &cli.Command{Name: name, ArgsUsage: args, Usage: usage, Flags: c.flags, Action: action}
}

// option adds the option "name, alias" of a variable, which has its default; usage has its placeholder in back quotes.
func (c *command) option(to any, names, usage string) {
	name, alias, _ := strings.Cut(names, ", ")
	aliases := strings.Fields(alias)
	var f cli.Flag
	switch to := to.(type) {
	case *bool:
		f = &cli.BoolFlag{Name: name, Aliases: aliases, Usage: usage, Destination: to, DisableDefaultText: true}
	case *int:
		without := map[int]string{unset: "as configured", -1: "all", 0: "any"}[*to]
		f = &cli.IntFlag{Name: name, Aliases: aliases, Usage: usage, Destination: to, Value: *to, DefaultText: without}
	case *string:
		f = &cli.StringFlag{Name: name, Aliases: aliases, Usage: usage, Destination: to, Value: *to}
	case *cli.StringSlice:
		f = &cli.StringSliceFlag{Name: name, Aliases: aliases, Usage: usage, Destination: to}
	}
	c.flags = append(c.flags, f)
}

func (c *command) eventsFlag() {
	c.option(&c.events, "json-events", "one JSON object per line, for programs")
}

func (c *command) misused(format string, args ...any) error {
	return &exit.Wrong{Text: fmt.Sprintf(format, args...), Command: c.full}
}

func fullName(x *cli.Context) string {
	return strings.TrimSpace(strings.TrimPrefix(x.Command.HelpName, x.App.HelpName))
}

// say prints a line; what others wrote is made safe, see terminal.Say.
func say(w io.Writer, format string, args ...any) { terminal.Say(w, format, args...) }
