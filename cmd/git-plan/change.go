package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// printChange shows how the plan's meaning changed, word by word.
func printChange(c *cli.Context, before, after []byte) {
	change := share.CompareWords(plan.Meaning(before), plan.Meaning(after))
	if change == "" {
		say(c.App.ErrWriter, "the planner changed nothing in what the plan says")
		return
	}
	say(c.App.ErrWriter, "changed:\n%s", strings.TrimRight(terminal.Readable(change), "\n"))
	printUnverified(c, before, after)
}

// printUnverified says if a plan lost the commands that verify it as a whole: among many changed
// lines that is easily overlooked.
func printUnverified(c *cli.Context, before, after []byte) {
	old, err := plan.Parse(before)
	if err != nil {
		return
	}
	now, err := plan.Parse(after)
	if err != nil || len(plan.Commands(now.Verification)) > 0 {
		return
	}
	if lost := plan.Commands(old.Verification); len(lost) > 0 {
		say(c.App.ErrWriter, "nothing verifies the whole any more: Verification ran %s; to put it back: git plan edit", visible.Line(strings.Join(lost, ", ")))
	}
}
