package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
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
