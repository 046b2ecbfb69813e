package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func undoCommand() *cli.Command {
	return &cli.Command{
		Name: "undo", Usage: "take the last done step back",
		Description: "Its commit comes off the branch where it is the last one and not pushed; else a commit\n" +
			"reverts it. Either way it stays reachable from a ref, which is named. Where a step has\n" +
			"several commits (yours), that goes for all. Of your own git revert one of them is enough:\n" +
			"the step is reopened.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withSteps(c, func(s *gitplan.Steps) error {
				step, taken, err := s.Undo(c.Context)
				if err != nil {
					return nothingToDo(c, err)
				}
				text := fmt.Sprintf("step %s is undone", step.ID)
				switch {
				case taken.Reverts == 1:
					text += " by a new commit, which reverts it"
				case taken.Reverts > 1:
					text += fmt.Sprintf(" by %d new commits, which revert it", taken.Reverts)
				}
				if len(taken.Also) > 0 {
					text += "; not done any more by that: " + strings.Join(taken.Also, ", ")
				}
				if taken.Kept != "" {
					text += "; its commit is kept as " + taken.Kept
				} else {
					text += "; it had no commit, so the branch is as it was"
				}
				if taken.Still != "" {
					text += "; an earlier one does it still, " + visible.Short(taken.Still) + ": git plan undo takes that back, too"
				}
				say(c.App.ErrWriter, "%s", text)
				return nil
			})
		},
	}
}
