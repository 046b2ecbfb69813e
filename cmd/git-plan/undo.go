package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/undo"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func undoCommand() *cli.Command {
	return &cli.Command{
		Name: "undo", Usage: "take back the last step that was done",
		Description: "If the step's commit is the last one and was not pushed, it is removed from the branch;\n" +
			"otherwise a commit reverts it. Either way a ref keeps it, and is named. If a step has\n" +
			"several commits (yours), all of them are taken back. With your own git revert, reverting\n" +
			"one of them is enough to reopen the step.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withSteps(c, func(s *gitplan.Steps) error {
				step, taken, err := undo.Last(c.Context, s.Site)
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
