package main

import (
	"fmt"
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
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

func attemptsCommand() *cli.Command {
	c := new(command)
	var older string
	show := func() error {
		if err := c.arguments(1); err != nil {
			return err
		}
		return withAttempt(c, func(co *checkout.Checkout, k checkout.KeptAttempt) error {
			return co.Repo.Run(c.Context, git.Command{
				Args: []string{"show", "--diff-merges=first-parent", k.Commit}, Stdout: c.Out, Stderr: c.Err, Localised: true,
			})
		})
	}
	list := func() error {
		if err := c.arguments(1); err != nil {
			return err
		}
		if strings.Contains(c.arg(0), "/") {
			return show()
		}
		return withPlan(c.Context, func(co *checkout.Checkout) error {
			return paged(c, co, func() error { return listAttempts(c, co) })
		})
	}
	return &cli.Command{
		Name: "attempts", Usage: "list, show, restore or prune work that was not committed", ArgsUsage: "[<step>[/<n>]]",
		Action: c.do(list),
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list them, and why each failed; the default", ArgsUsage: "[<step>]", Action: c.do(list)},
			{
				Name: "show", Usage: "show what an attempt changed", ArgsUsage: "<step>/<n>",
				Action: c.do(show),
			},
			{
				Name: "restore", Usage: "put what an attempt changed into the work tree", ArgsUsage: "<step>/<n> [<file>...]",
				Description: "With files or folders (their paths in the repository), only what it changed of these.\n" +
					"Nothing is committed. To finish the step with it yourself: git plan next, then restore,\n" +
					"work, git plan done. An agent resumes an interrupted session by itself, but does not\n" +
					"pick up what you restore.",
				Action: c.do(func() error {
					return withAttempt(c, func(co *checkout.Checkout, k checkout.KeptAttempt) error {
						if err := workspace.RestoreAttempt(c.Context, &runner.Runner{Checkout: co}, k, c.args[1:]...); err != nil {
							return err
						}
						say(c.Err, "what attempt %s had changed%s is in the work tree, not committed", k.Name, of(c.args[1:]))
						if len(c.args) > 1 {
							return nil
						}
						if _, open := co.OpenByNext(); !open {
							say(c.Err, "%s", wantsClean)
							printByHand(c, co, k)
						}
						return nil
					})
				}),
			},
			{
				Name: "prune", Usage: "remove attempts that are older than --older",
				Flags: []cli.Flag{&cli.StringFlag{Name: "older", Destination: &older, Value: "30d", Usage: "than this `AGE`, such as 30d or 12h"}},
				Action: c.do(func() error {
					age, err := parseAge(older)
					if err != nil {
						return c.misused("%v", err)
					}
					return withPlan(c.Context, func(co *checkout.Checkout) error {
						gone, err := checkout.PruneAttempts(c.Context, co, age)
						for _, k := range gone {
							say(c.Err, "removed %s (its commit was %s)", k.Name, visible.Short(k.Commit))
						}
						return err
					})
				}),
			},
		},
	}
}

// of says which files are meant; "" if all are.
func of(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return " of " + visible.Few(files)
}

const wantsClean = "a session needs a clean tree: commit it first, or set it aside (git stash -u)"

// printByHand says how a person finishes a step with what was restored: only what they do after
// git plan next counts as their work on it.
func printByHand(c *command, co *checkout.Checkout, k checkout.KeptAttempt) {
	step, _, _ := strings.Cut(k.Name, "/")
	reopen := ""
	switch st, ok := co.Progress.Steps[step]; {
	case !ok || st.State == progress.StateDone || st.State == progress.StateSkipped:
		return
	case st.State == progress.StateBlocked:
		reopen = "git plan reopen " + step + "; "
	}
	say(c.Err, "to finish step %s with it yourself: git stash -u; %sgit plan next %s; git stash pop; then work, git plan done", step, reopen, step)
}

func listAttempts(c *command, co *checkout.Checkout) error {
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
	width, between := terminal.Width(os.Stdout), "\t"
	if width != terminal.Endless {
		between = "  "
	}
	for _, k := range all {
		cells := []string{k.Name, visible.Short(k.Commit), k.Time.Local().Format("2006-01-02 15:04:05"), visible.Line(k.Reason)}
		terminal.Fold(c.Out, width, 4, "%s", strings.Join(cells, between))
	}
	return err
}

func withAttempt(c *command, do func(*checkout.Checkout, checkout.KeptAttempt) error) error {
	if len(c.args) == 0 {
		return &exit.Wrong{Text: fmt.Sprintf("%s takes one attempt, <step>/<n>", c.full), Hint: "see them: git plan attempts"}
	}
	return withLock(c, func(co *checkout.Checkout, _ *journal.Lock) error {
		k, err := checkout.FindAttempt(c.Context, co, c.arg(0))
		if err != nil {
			return err
		}
		return do(co, k)
	})
}

// parseAge reads what time.ParseDuration reads, and days.
func parseAge(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not an age such as 30d or 12h", s)
	}
	return d, nil
}
