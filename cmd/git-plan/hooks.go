package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/hooks/install"
)

type hooksOptions struct {
	*command
	dryRun bool
}

func hooksCommand() *cli.Command {
	c := &hooksOptions{command: new(command)}
	return &cli.Command{
		Name: "hooks", Usage: "install, remove or show the hooks",
		Action: c.do(func() error {
			return c.misused("hooks takes install, uninstall, status or lines")
		}),
		Subcommands: []*cli.Command{
			{
				Name: "install", Usage: "add a few lines to the hooks that git uses; your own hooks stay and run after them",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "dry-run", Destination: &c.dryRun, Usage: "only print what would be done"}},
				Action: c.do(func() error { return c.change(install.PlanInstall) }),
			},
			{
				Name: "uninstall", Usage: "remove exactly these lines",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "dry-run", Destination: &c.dryRun, Usage: "only print what would be done"}},
				Action: c.do(func() error { return c.change(install.PlanUninstall) }),
			},
			{Name: "status", Usage: "show which hooks are installed, and where", Action: c.do(func() error { return hooksStatus(c.command) })},
			{
				Name: "lines", Usage: "print what to eval in a hook that install leaves alone", ArgsUsage: "<hook>",
				Action: c.do(func() error {
					text, ok := install.Lines(c.arg(0))
					if !ok || len(c.args) != 1 {
						return c.misused("lines takes the name of a hook: %s", strings.Join(hookNames(), ", "))
					}
					fmt.Fprint(c.Out, text)
					return nil
				}),
			},
		},
	}
}

func hookNames() (names []string) {
	for _, h := range install.All() {
		names = append(names, h.Name)
	}
	return names
}

// change installs or removes hooks, and says what it does; with --dry-run it only says so.
func (c *hooksOptions) change(decide func(install.Facts) []install.Action) error {
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		facts, err := install.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		if facts.Shared() {
			say(c.Err, "%s", sharedHooks(co, facts))
		}
		actions := decide(facts)
		refused := false
		for _, a := range actions {
			say(c.Err, "%s: %s", a.Hook, placed(a.Text, a.Path))
			if a.Lines != "" {
				fmt.Fprint(c.Out, a.Lines)
			}
			refused = refused || a.Do == install.Refuse
		}
		if c.dryRun {
			say(c.Err, "nothing was done: this is what git plan hooks %s would do", c.name)
			return nil
		}
		if err := install.Perform(actions); err != nil {
			return err
		}
		for _, id := range co.Attached() {
			journal.MarkAttached.Set(co.Repo, id) // plans may be older than the hooks
		}
		if refused {
			return &exit.Ended{Code: exit.Error}
		}
		return nil
	})
}

// sharedHooks says who has git run hooks from a folder outside of the repository, and how that
// runs the repository's own.
func sharedHooks(co *checkout.Checkout, facts install.Facts) string {
	from := co.Config.Git.Origin("core.hooksPath")
	of := "for this repository"
	switch from.Scope {
	case "system", "global":
		of = "for all your repositories"
	}
	return fmt.Sprintf("git runs hooks from %s %s, as core.hooksPath in %s says; to run this repository's own in their place: git config core.hooksPath %s, then git plan hooks install",
		visible.Line(facts.Folder), of, visible.Line(strings.TrimPrefix(from.Place, "file:")), visible.Shell(filepath.Join(co.Repo.CommonDir, "hooks")))
}

// placed adds the file to what is said about a hook, if that does not name it.
func placed(text, path string) string {
	if path = visible.Line(path); strings.Contains(text, path) {
		return text
	}
	return text + " (" + path + ")"
}

func hooksStatus(c *command) error {
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		facts, err := install.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		if facts.Shared() {
			terminal.Fold(c.Out, terminal.Width(os.Stdout), 2, "%s", sharedHooks(co, facts))
			terminal.Fold(c.Out, terminal.Width(os.Stdout), 2, "to add git plan to them, have its lines printed: git plan hooks install")
		}
		for _, s := range install.Status(facts) {
			terminal.Fold(c.Out, terminal.Width(os.Stdout), 4, "%s: %s", s.Hook, placed(s.Text, s.Path))
		}
		return nil
	})
}

// hookCommand is what the lines in git's hooks call, with git's own arguments and standard input
// (githooks(5)). Only pre-push has an exit code that means something.
func hookCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "hook", Hidden: true,
		Subcommands: []*cli.Command{
			{Name: "pre-push", Action: c.do(func() error { return prePush(c, os.Stdin, c.args) })},
			// <path of this hook> and what git gives it
			{Name: "own-push", Action: c.do(func() error { return ownPush(c) })},
			// <file> [<source> [<commit>]]
			{Name: "prepare-commit-msg", Action: c.beside(func(ctx context.Context, co *checkout.Checkout) ([]string, error) {
				m := &hooks.Message{Checkout: co, File: c.arg(0)}
				return nil, m.Prepare(ctx, c.arg(1), c.arg(2))
			})},
			// <file>
			{Name: "commit-msg", Action: c.beside(func(ctx context.Context, co *checkout.Checkout) ([]string, error) {
				return nil, (&hooks.Message{Checkout: co, File: c.arg(0)}).Finish(ctx)
			})},
			// amend or rebase; the commits on standard input
			{Name: "post-rewrite", Action: c.beside(func(ctx context.Context, co *checkout.Checkout) ([]string, error) {
				all, err := hooks.ParseRewrite(os.Stdin)
				if err != nil {
					return nil, err
				}
				return hooks.PostRewrite(ctx, co, c.arg(0), all)
			})},
			// <commit before> <commit now> <1 for a branch, 0 for files>
			{Name: "post-checkout", Action: c.beside(func(ctx context.Context, co *checkout.Checkout) ([]string, error) {
				if c.arg(2) == "0" {
					return nil, nil
				}
				line, err := hooks.PostCheckout(ctx, co)
				return []string{line}, err
			})},
		},
	}
}

// prePush is the gate. git gives it the remote's name and URL as arguments and
// the refs on standard input; its exit code stops the push.
func prePush(c *command, stdin io.Reader, args []string) error {
	if os.Getenv(hooks.EnvHooks) == "0" {
		return nil
	}
	// The connection to the remote is open, so nothing is fetched.
	os.Setenv("GIT_NO_LAZY_FETCH", "1")
	pushes, err := hooks.ParsePush(stdin)
	if err != nil {
		return err
	}
	co, err := checkout.Open(c.Context)
	if err != nil {
		return err
	}
	defer co.Close()
	gate := &hooks.Gate{Checkout: co}
	remote := append(args, "", "")
	d, err := gate.PrePush(c.Context, remote[0], remote[1], pushes)
	if err != nil {
		return err
	}
	return printed(c, d)
}

// printed prints a decision, and ends with 1 if git must stop.
func printed(c *command, d hooks.Decision) error {
	for _, line := range d.Lines {
		say(c.Err, "git plan: %s", line)
	}
	if d.Stop {
		return &exit.Ended{Code: exit.Error}
	}
	return nil
}

// patience is how long a hook beside the gate may take.
const patience = 10 * time.Second

// beside runs a hook that must not be in git's way: it always ends with 0, in time, and with a
// line for the person if there is something to say.
func (c *command) beside(do func(context.Context, *checkout.Checkout) ([]string, error)) cli.ActionFunc {
	return c.do(func() error {
		if os.Getenv(hooks.EnvHooks) == "0" || os.Getenv(proc.EnvDepth) != "" {
			return nil
		}
		ctx, cancel := context.WithTimeout(c.Context, patience)
		defer cancel()
		over := make(chan struct{})
		var lines []string
		var err error
		go func() {
			defer close(over)
			err = withRepository(ctx, func(co *checkout.Checkout) (err error) {
				lines, err = do(ctx, co)
				return err
			})
		}()
		select {
		case <-over:
		case <-ctx.Done():
			say(c.Err, "git plan: %s took too long, and goes on without", c.name)
			return nil
		}
		for _, line := range lines {
			if line != "" {
				say(c.Err, "git plan: %s", visible.Line(line))
			}
		}
		if err != nil {
			say(c.Err, "git plan: %s: %s", c.name, visible.Line(err.Error()))
		}
		return nil
	})
}

// ownPush replaces the person's pre-push hook in a push that git plan makes itself
// (hooks.OwnPush): first it runs that hook, in the sandbox, and then the gate if that is
// installed.
func ownPush(c *command) error {
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	args := c.args[1:]
	gated := false
	if err := withRepository(c.Context, func(co *checkout.Checkout) error {
		if err := co.Load(c.Context); err != nil {
			return err
		}
		facts, err := install.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		gated = facts.Gated()
		said, err := (&runner.Runner{Checkout: co}).PrePush(c.Context, stdin, args...)
		if err != nil {
			return errors.Join(err, install.Refused(c.arg(0), cmp.Or(said, err.Error())))
		}
		return nil
	}); err != nil || !gated {
		return err
	}
	return prePush(c, bytes.NewReader(stdin), args)
}
