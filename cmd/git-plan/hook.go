package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks"
)

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
