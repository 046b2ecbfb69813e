package main

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

func attemptsCommand(c *command) *cli.Command {
	older := "30d"
	c.option(&older, "older", "remove attempts older than `DAYS`, such as 30d")
	show := c.onPlan(1, func(co *checkout.Checkout) error {
		k, err := attemptNamed(c, co)
		if err != nil {
			return err
		}
		return co.Repo.Run(c.Context, git.Command{
			Args: []string{"show", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", k.Commit}, Stdout: c.Out,
			Stderr: c.Err, Localised: true,
		})
	})
	list := c.inPager(1, func(co *checkout.Checkout) error { return listAttempts(c, co) })
	prune := c.onLocked(0, func(co *checkout.Checkout, _ *journal.Lock) error {
		days, err := strconv.Atoi(strings.TrimSuffix(older, "d"))
		if err != nil || days < 0 || days > 36500 { // more would overflow a time.Duration
			return c.misused("--older takes a number of days, such as 30d, not %q", older)
		}
		gone, err := checkout.PruneAttempts(c.Context, co, time.Duration(days)*24*time.Hour)
		for _, k := range gone {
			say(c.Err, "removed %s (its commit was %s)", k.Name, visible.Short(k.Commit))
		}
		return err
	})
	return &cli.Command{
		Name: "attempts", Usage: "list, show, restore or prune work that was not committed", ArgsUsage: "[<step>]",
		Action: list,
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list them, and why each failed; the default", ArgsUsage: "[<step>]", Action: list},
			{Name: "show", Usage: "show what an attempt changed, the last one of a step", ArgsUsage: "<step>[/<n>]", Action: show},
			{Name: "restore", Usage: "put what an attempt changed into the work tree", ArgsUsage: "<step>[/<n>] [<file>...]",
				Action: c.onLocked(anyNumber, func(co *checkout.Checkout, _ *journal.Lock) error { return restoreAttempt(c, co) })},
			c.define("prune", "", "remove attempts that are older than --older", prune),
		},
	}
}

const wantsClean = "a session needs a clean tree: commit it first, or set it aside (git stash -u)"

func restoreAttempt(c *command, co *checkout.Checkout) error {
	k, err := attemptNamed(c, co)
	if err != nil {
		return err
	}
	of, files := "", c.args[1:]
	if err := workspace.RestoreAttempt(c.Context, &runner.Runner{Checkout: co}, k, files...); err != nil {
		return err
	}
	if len(files) > 0 {
		of = " of " + visible.Few(files)
	}
	say(c.Err, "the changes of attempt %s%s are in the work tree, not committed", k.Name, of)
	say(c.Err, "it was not committed: %s", visible.Line(k.Reason)) // such as that it has a secret
	if _, open := co.OpenByNext(); !open && of == "" {
		say(c.Err, "%s", wantsClean)
		step, _, _ := strings.Cut(k.Name, "/")
		say(c.Err, "to finish step %s with it yourself: git stash -u; git plan next %s; git stash pop; then work, git plan done", step, step)
	}
	return nil
}

func listAttempts(c *command, co *checkout.Checkout) error {
	if err := co.Load(c.Context); err != nil {
		return err
	}
	step := ""
	if len(c.args) == 1 {
		s, err := stepOf(co, c.arg(0))
		if err != nil {
			return err
		}
		step = s.ID
	}
	all, err := checkout.KeptAttempts(c.Context, co, step)
	if err == nil && len(all) == 0 {
		say(c.Err, "no attempt is kept")
	}
	between := "\t"
	if terminal.Is(os.Stdout) {
		between = "  "
	}
	for _, k := range all {
		cells := []string{k.Name, visible.Short(k.Commit), k.Time.Local().Format("2006-01-02 15:04:05"), visible.Line(k.Reason)}
		terminal.FoldText(c.Out, terminal.Width(os.Stdout), strings.Join(cells, between))
	}
	return err
}

// attemptNamed returns the attempt that the first argument names.
func attemptNamed(c *command, co *checkout.Checkout) (checkout.KeptAttempt, error) {
	if len(c.args) == 0 {
		return checkout.KeptAttempt{}, &exit.Wrong{Text: c.full + " takes one attempt, <step>/<n>", Hint: "see them: git plan attempts"}
	}
	return checkout.FindAttempt(c.Context, co, c.arg(0))
}
