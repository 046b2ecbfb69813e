package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/hooks"
)

func hooksCommand() *cli.Command {
	return &cli.Command{
		Name: "hooks", Usage: "install, remove or show the hooks",
		Action: func(c *cli.Context) error {
			return misused(c, "hooks takes install, uninstall or status")
		},
		Subcommands: []*cli.Command{
			{
				Name: "install", Usage: "put the gate into the hook that git uses; a hook of your own stays and runs after it",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"}},
				Action: func(c *cli.Context) error { return changeHooks(c, hooks.PlanInstall) },
			},
			{
				Name: "uninstall", Usage: "take exactly these lines out again",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"}},
				Action: func(c *cli.Context) error { return changeHooks(c, hooks.PlanUninstall) },
			},
			{Name: "status", Usage: "which hooks are installed, and where", Action: hooksStatus},
		},
	}
}

func changeHooks(c *cli.Context, decide func(hooks.Facts) []hooks.Action) error {
	return withCheckout(c.Context, func(co *gitplan.Checkout) error {
		facts, err := hooks.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		actions := decide(facts)
		refused := false
		for _, a := range actions {
			say(c.App.ErrWriter, "%s: %s (%s)", a.Hook, a.Text, clean(a.Path))
			if a.Lines != "" {
				fmt.Fprint(c.App.Writer, a.Lines)
			}
			refused = refused || a.Do == hooks.Refuse
		}
		if c.Bool("dry-run") {
			return nil
		}
		if err := hooks.Perform(actions); err != nil {
			return err
		}
		if refused {
			return &ended{exitError}
		}
		return nil
	})
}

func hooksStatus(c *cli.Context) error {
	return withCheckout(c.Context, func(co *gitplan.Checkout) error {
		facts, err := hooks.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		for _, s := range hooks.Status(facts) {
			say(c.App.Writer, "%s: %s (%s)", s.Hook, s.Text, clean(s.Path))
		}
		return nil
	})
}

// hookCommand is what the lines in git's hooks call. git gives pre-push the
// remote's name and URL as arguments and the refs on standard input; its exit
// code stops the push.
func hookCommand() *cli.Command {
	return &cli.Command{
		Name: "hook", Hidden: true,
		Subcommands: []*cli.Command{{
			Name: "pre-push",
			Action: func(c *cli.Context) error {
				if os.Getenv(hooks.EnvHooks) == "0" {
					return nil
				}
				// The connection to the remote is open: nothing is fetched meanwhile.
				os.Setenv("GIT_NO_LAZY_FETCH", "1")
				pushes, err := hooks.ParsePush(os.Stdin)
				if err != nil {
					return err
				}
				return withCheckout(c.Context, func(co *gitplan.Checkout) error {
					gate := &hooks.Gate{Checkout: co}
					d, err := gate.PrePush(c.Context, c.Args().Get(0), c.Args().Get(1), pushes)
					if err != nil {
						return err
					}
					for _, line := range d.Lines {
						say(c.App.ErrWriter, "git plan: %s", line)
					}
					if d.Stop {
						return &ended{exitError}
					}
					return nil
				})
			},
		}},
	}
}
