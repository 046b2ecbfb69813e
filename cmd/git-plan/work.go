package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

// workFlags are the flags of commands that start sessions.
func workFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.BoolFlag{Name: "no-review", Usage: "skip the verification and the review after the last step"},
		&cli.BoolFlag{Name: "autostash", Usage: "set your changes aside first, and bring them back afterwards"},
		&cli.BoolFlag{Name: "clean", Usage: "start over instead of going on from a kept attempt"},
		&cli.BoolFlag{Name: "json-events", Usage: "one JSON object per line, for programs"},
		plainFlag(),
	)
}

func stepCommand() *cli.Command {
	return &cli.Command{
		Name: "step", Usage: "do the next open step in a fresh session", ArgsUsage: "[<step>]",
		Description: "The session works in this tree. Its work is checked by the commands of the step and of\n" +
			"the plan, committed as one commit, and ticked by the program. After the last step come\n" +
			"the verification and the review.",
		Flags: workFlags(),
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			return doSteps(c, func(s *gitplan.Steps) error {
				if err := reviewable(c, s); err != nil {
					return err
				}
				if _, _, err := s.Step(c.Context, c.Args().First()); err != nil {
					return err
				}
				if err := leaveOutReview(c, s); err != nil {
					return err
				}
				pushAfter(c, s, "step")
				if !s.Progress.Complete() || c.Bool("no-review") {
					return nil
				}
				return reviewPlan(c, s)
			})
		},
	}
}

func runCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "do every step that is ready, then verify and review", ArgsUsage: "[<branch>...]",
		Description: "Steps run until no open step has its needs met; a blocked step stops only the steps that\n" +
			"need it. When all are done, the plan's verification and the review follow.\n\n" +
			"With branches it runs the plan of each, one after the other; with --jobs several at once, N\n" +
			"steps in all. A branch that is checked out nowhere gets a work tree in .git/plan for that time.\n" +
			"The exit code is that of the first of 130, 1, 6, 5, 3, 4 and 75 with which one ended, else 0.",
		Flags: workFlags(
			&cli.BoolFlag{Name: "all", Usage: "run every plan of the repository that is approved and has an open step"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "have up to `N` steps at work at once that do not need each other, each in a clone"},
			&cli.StringFlag{Name: "until", Usage: "stop after `STEP` is done, skipped or blocked: no later step, no review"}),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 || c.Bool("all") {
				return runSeveral(c)
			}
			run := func() error {
				return doSteps(c, func(s *gitplan.Steps) error { return runSteps(c, s) })
			}
			err := run()
			for mayAsk(err) && answered(c, &err) {
				err = run()
			}
			return err
		},
	}
}

func runSteps(c *cli.Context, s *gitplan.Steps) error {
	if err := reviewable(c, s); err != nil {
		return err
	}
	until := c.String("until")
	if until != "" {
		step, err := stepOf(s.Checkout, until)
		if err != nil {
			return err
		}
		if err := s.Ended(step); err != nil {
			return nothingToDo(c, err)
		}
		until = step.ID
	}
	jobs, err := jobsOf(c, s.Checkout)
	if err != nil {
		return err
	}
	err = s.Run(c.Context, gitplan.Walk{
		Jobs: jobs, Until: until,
		Done:   func() { pushAfter(c, s, "step") },
		Replan: func(step *plan.Step) (bool, error) { return replanned(c, s, step) },
	})
	switch {
	case !errors.Is(err, fault.ErrNothingLeft):
		return err
	case c.Bool("no-review"):
		err := leaveOutReview(c, s)
		pushAfter(c, s, "run")
		return err
	}
	if err := s.Stopped(); err != nil {
		return err
	}
	return reviewPlan(c, s)
}

// jobsOf returns how many steps may be at work at once.
func jobsOf(c *cli.Context, co *checkout.Checkout) (int, error) {
	jobs := c.Int("jobs")
	if !c.IsSet("jobs") {
		return co.Config.Int("plan.jobs")
	}
	if jobs < 1 {
		return 0, usageError(c, fmt.Errorf("--jobs is %d: it must be at least 1", jobs), true)
	}
	return jobs, nil
}

// reviewable refuses settings that the review after the last step would refuse.
func reviewable(c *cli.Context, s *gitplan.Steps) error {
	if c.Bool("no-review") {
		return nil
	}
	return reviewers.Unreviewable(c.Context, s.Worker)
}

// leaveOutReview records --no-review on a plan whose steps are all done.
func leaveOutReview(c *cli.Context, s *gitplan.Steps) error {
	if !c.Bool("no-review") {
		return nil
	}
	return s.LeaveOutReview(c.Context)
}

// reviewPlan reviews a plan whose steps are all done.
func reviewPlan(c *cli.Context, s *gitplan.Steps) error {
	err := review(c, s.Worker, s.Waited)
	if err == nil {
		pushAfter(c, s, "step", "run")
	}
	return err
}

func nextCommand() *cli.Command {
	return &cli.Command{
		Name: "next", Usage: "take the next step yourself and print what it asks for", ArgsUsage: "[<step>]",
		Description: "No agent is started: you, or an agent session that you are in, do the step. Finish it\n" +
			"with git plan done. Until then nothing touches your work. A terminal gets the step and\n" +
			"its checks; a program, or --prompt, gets all that a session would read.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "drop", Usage: "give the open step back; the tree stays as it is"},
			&cli.BoolFlag{Name: "prompt", Usage: "print all that a session would read: the plan, the other steps, the facts"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			return withSteps(c, func(s *gitplan.Steps) error {
				if c.Bool("drop") {
					step, left, err := s.Drop(c.Context)
					if err != nil {
						return err
					}
					say(c.App.ErrWriter, "step %s is given back", step)
					if left {
						say(c.App.ErrWriter, "what you did stays in the tree; %s", wantsClean)
					}
					return nil
				}
				step, text, err := s.Next(c.Context, c.Args().First())
				if err != nil {
					return err
				}
				all := ""
				if terminal.Is(os.Stdout) { // the marks around data are for models
					text = prompt.Unframed(text)
					if !c.Bool("prompt") {
						text = prompt.ByHand(s.Doc.Plan, step, s.Stale(c.Context, step)[step.ID])
						all = " (all that a session would read: git plan next --prompt)"
					}
				}
				say(c.App.Writer, "%s", strings.TrimRight(visible.Text(text), "\n"))
				say(c.App.ErrWriter, "step %s is yours%s", step.ID, all)
				return nil
			})
		},
	}
}

func doneCommand() *cli.Command {
	return &cli.Command{
		Name: "done", Usage: "check, commit and tick the step opened by next", ArgsUsage: "[<step>]",
		Description: "Runs the checks of the step and of the plan, commits what is in the tree (changed files,\n" +
			"and all files that are new since git plan next), and ticks the step. Commits that you\n" +
			"made yourself stay as they are.\n\n" +
			"With --manual it records that you checked what Verification says in words, for the\n" +
			"branch as it is now. git plan status lists that; no session and no command ticks it.",
		Flags: []cli.Flag{&cli.StringSliceFlag{Name: "manual", Usage: "record that criterion `ID` holds: its id, or its number in git plan status"}},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			if c.IsSet("manual") {
				return confirmByHand(c)
			}
			return withSteps(c, func(s *gitplan.Steps) error {
				step, out, err := s.Done(c.Context, c.Args().First())
				if err != nil {
					return err
				}
				for _, line := range out.Reported {
					say(c.App.ErrWriter, "note: %s", visible.Line(line))
				}
				say(c.App.ErrWriter, "step %s is done: %s", step.ID, terminal.Committed(out.Commit))
				pushAfter(c, s, "step")
				return nil
			})
		},
	}
}
