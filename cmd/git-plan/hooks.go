package main

import (
	"bytes"
	"cmp"
	"context"
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

func hooksCommand(c *command) *cli.Command {
	var dryRun bool
	c.option(&dryRun, "dry-run", "only print what would be done")
	change := func(decide func(*install.Facts, *install.File) install.Action) cli.ActionFunc {
		return c.do(0, func() error { return changeHooks(c, dryRun, decide) })
	}
	return &cli.Command{
		Name: "hooks", Usage: "install, remove or show the hooks",
		Action: c.do(anyNumber, func() error { return c.misused("hooks takes install, uninstall, status or lines") }),
		Subcommands: []*cli.Command{
			c.define("install", "", "add a few lines to the hooks that git uses; your own hooks stay and run after them",
				change(install.Install)),
			c.define("uninstall", "", "remove exactly these lines", change(install.Uninstall)),
			{Name: "status", Usage: "show which hooks are installed, and where",
				Action: c.inRepo(0, func(co *checkout.Checkout) error {
					facts, err := install.Look(c.Context, co.Repo)
					if err != nil {
						return err
					}
					width := terminal.Width(os.Stdout)
					if facts.Shared() {
						terminal.Fold(c.Out, width, 2, "%s", sharedHooks(co, facts))
						terminal.Fold(c.Out, width, 2, "to add git plan to them, have its lines printed: git plan hooks install")
					}
					if why := ungated(co, facts); why != "" {
						terminal.Fold(c.Out, width, 2, "%s", why)
					}
					for _, s := range install.Status(facts) {
						terminal.Fold(c.Out, width, 4, "%s: %s", s.Hook, placed(s.Text, s.Path))
					}
					return nil
				})},
			{Name: "lines", Usage: "print what to eval in a hook that install leaves alone", ArgsUsage: "<hook>",
				Action: c.do(1, func() error {
					text, ok := install.Lines(c.arg(0))
					if !ok {
						return c.misused("lines takes the name of a hook, as git plan hooks status has them")
					}
					fmt.Fprint(c.Out, text)
					return nil
				})},
		},
	}
}

func changeHooks(c *command, dryRun bool, decide func(*install.Facts, *install.File) install.Action) error {
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		facts, err := install.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		if facts.Shared() {
			say(c.Err, "%s", sharedHooks(co, facts))
		}
		actions, refused := install.Plan(facts, decide), false
		for _, a := range actions {
			say(c.Err, "%s: %s", a.Hook, placed(a.Text, a.Path))
			if a.Lines != "" {
				fmt.Fprint(c.Out, a.Lines)
			}
			refused = refused || a.Do == install.Refuse
		}
		if dryRun {
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

// sharedHooks says that git runs hooks from a folder outside of the repository, and how it runs the repository's own.
func sharedHooks(co *checkout.Checkout, facts install.Facts) string {
	from := strings.TrimPrefix(co.Config.Git.Origin("core.hooksPath").Place, "file:")
	return fmt.Sprintf("git runs hooks from %s, as core.hooksPath in %s says; to run this repository's own in their place: git config core.hooksPath %s, then git plan hooks install",
		facts.Folder, from, visible.Shell(filepath.Join(co.Repo.CommonDir, "hooks")))
}

// placed adds the file to a text about a hook, unless the text names it.
func placed(text, path string) string {
	if strings.Contains(text, visible.Line(path)) {
		return text
	}
	return text + " (" + path + ")"
}

// ungated says that plan.prePush is block and git push does not come to the gate, as far as can be seen; "" otherwise.
func ungated(co *checkout.Checkout, facts install.Facts) string {
	if mode, _ := co.Config.Word("plan.prePush"); mode != "block" || facts.Gated() {
		return ""
	}
	return "plan.prePush is block, and the pre-push hook that git runs has no line of git-plan's: git push is not stopped"
}

// hookCommand is what git's hooks call; only the exit code of pre-push has a meaning.
func hookCommand(c *command) *cli.Command {
	message := func(co *checkout.Checkout) *hooks.Message { return &hooks.Message{Checkout: co, File: c.arg(0)} }
	return &cli.Command{
		Name: "hook", Hidden: true,
		Subcommands: []*cli.Command{
			{Name: "pre-push", Action: c.do(anyNumber, func() error { return prePush(c, os.Stdin, c.args) })},
			{Name: "own-push", Action: c.do(anyNumber, func() error { return ownPush(c) })}, // git's arguments
			// <file> [<source> [<commit>]]
			{Name: "prepare-commit-msg", Action: c.advisory(func(ctx context.Context, co *checkout.Checkout) ([]string, error) {
				return nil, message(co).Prepare(ctx, c.arg(1), c.arg(2))
			})},
			{Name: "commit-msg", Action: c.advisory(func(ctx context.Context, co *checkout.Checkout) ([]string, error) { // <file>
				return nil, message(co).Finish(ctx)
			})},
			// amend or rebase; the commits on standard input
			{Name: "post-rewrite", Action: c.advisory(func(ctx context.Context, co *checkout.Checkout) ([]string, error) {
				all, err := hooks.ParseRewrite(os.Stdin)
				if err != nil {
					return nil, err
				}
				return hooks.PostRewrite(ctx, co, c.arg(0), all)
			})},
			// <before> <now> <1 for a branch, 0 for files>
			{Name: "post-checkout", Action: c.advisory(func(ctx context.Context, co *checkout.Checkout) ([]string, error) {
				if c.arg(2) == "0" {
					return nil, nil
				}
				line, err := hooks.PostCheckout(ctx, co)
				return []string{line}, err
			})},
		},
	}
}

// prePush is the gate: git passes the remote's name and URL, and the refs on stdin.
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
	return withRepository(c.Context, func(co *checkout.Checkout) error {
		gate := &hooks.Gate{Checkout: co}
		if len(pushes) == 0 {
			facts, err := install.Look(c.Context, co.Repo)
			gate.First = err == nil && facts.First()
		}
		remote := append(args, "", "")
		d, err := gate.PrePush(c.Context, remote[0], remote[1], pushes)
		if err != nil {
			return err
		}
		for _, line := range d.Lines {
			say(c.Err, "git plan: %s", line)
		}
		if d.Stop {
			return &exit.Ended{Code: exit.Error}
		}
		return nil
	})
}

// advisory runs a hook that must not stop git: it always ends with 0, and in time.
func (c *command) advisory(do func(context.Context, *checkout.Checkout) ([]string, error)) cli.ActionFunc {
	return c.do(anyNumber, func() error {
		if os.Getenv(hooks.EnvHooks) == "0" || os.Getenv(proc.EnvDepth) != "" {
			return nil
		}
		ctx, cancel := context.WithTimeout(c.Context, 10*time.Second)
		defer cancel()
		defer context.AfterFunc(ctx, func() {
			say(c.Err, "git plan: %s took too long, so git goes on without it", c.name)
			os.Exit(exit.OK)
		})()
		var lines []string
		err := withRepository(ctx, func(co *checkout.Checkout) (err error) {
			lines, err = do(ctx, co)
			return err
		})
		for _, line := range lines {
			if line != "" {
				say(c.Err, "git plan: %s", line)
			}
		}
		if err != nil {
			say(c.Err, "git plan: %s: %s", c.name, err)
		}
		return nil
	})
}

// ownPush replaces the pre-push hook in git plan's own push: it runs that in the sandbox, then the gate if installed.
func ownPush(c *command) error {
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	gated := false
	if err := withRepository(c.Context, func(co *checkout.Checkout) error {
		if err := co.Load(c.Context); err != nil {
			return err
		}
		facts, err := install.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		gated = facts.Gated() || ungated(co, facts) != ""
		said, err := (&runner.Runner{Checkout: co}).PrePush(c.Context, stdin, c.args...)
		if err != nil {
			err = fmt.Errorf("%s (your pre-push hook ran in the sandbox of checks, with none of your other variables; "+
				"to have it run as always: git config plan.hooksSandbox off)", cmp.Or(strings.TrimSpace(said), err.Error()))
		}
		return err
	}); err != nil || !gated {
		return err
	}
	return prePush(c, bytes.NewReader(stdin), c.args)
}
