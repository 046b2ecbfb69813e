package main

import (
	"bytes"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "show how the plan changed, word by word", ArgsUsage: "[<version> [<version>]]",
		Description: "Without a version: since the last approval, or since the plan was made. A version is a\n" +
			"commit of the plan, as git plan log names it, or ~N for N changes ago; approvals and\n" +
			"ticks are changes, too.",
		Action: func(c *cli.Context) error {
			if c.NArg() > 2 {
				return misused(c, "diff takes at most two versions")
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printDiff) })
		},
	}
}

func printDiff(c *cli.Context, co *checkout.Checkout) error {
	before, after, err := versions(c, co)
	if err != nil {
		return err
	}
	change := share.CompareWords(before, after)
	if change == "" && c.NArg() < 2 {
		return printUnchanged(c, co)
	}
	_, err = c.App.Writer.Write([]byte(views.Colors(co).Words(terminal.OnScreen(change))))
	return err
}

// versions returns the two texts to compare.
func versions(c *cli.Context, co *checkout.Checkout) (before, after []byte, err error) {
	after = co.Doc.Plan.Source
	if c.NArg() == 0 {
		before, err = setup.ApprovedMeaning(co.Repo, co.Doc.ID)
		if err != nil || before != nil {
			return before, plan.Meaning(after), err
		}
		before, err = co.Version(c.Context, co.Doc.Events[0].Commit)
		return before, after, err
	}
	if before, err = co.Version(c.Context, c.Args().First()); err == nil && c.NArg() == 2 {
		after, err = co.Version(c.Context, c.Args().Get(1))
	}
	return before, after, err
}

// printUnchanged says that nothing differs, and how to see what a person or a planner
// changed last: most edits are approved as they are typed.
func printUnchanged(c *cli.Context, co *checkout.Checkout) error {
	events := co.Doc.Events
	last := len(events) - 1
	edit := last
	for edit > 0 && events[edit].Kind != journal.Edited && events[edit].Kind != journal.Replanned {
		edit--
	}
	text, err := co.Version(c.Context, events[edit].Commit)
	if err != nil {
		return err
	}
	as, see := "as it was made", ""
	if approved, _ := setup.ApprovedMeaning(co.Repo, co.Doc.ID); c.NArg() == 0 && approved != nil {
		as = "as it was approved"
		if !bytes.Equal(text, co.Doc.Plan.Source) { // an approval does not cover that
			see = fmt.Sprintf("; only boxes and states changed (git plan diff ~%d shows them)", last-edit)
		}
	}
	if c.NArg() > 0 { // only an approval or a tick may separate two versions
		as = "as it was at " + visible.Line(c.Args().First())
	}
	if edit > 0 {
		versions := fmt.Sprintf("~%d", last-edit+1)
		if edit < last {
			versions += fmt.Sprintf(" ~%d", last-edit)
		}
		see += "; what the last edit did: git plan diff " + versions
	}
	say(c.App.ErrWriter, "the plan is %s%s", as, see)
	if base, err := co.Base(c.Context, co.Doc.Plan.Base); c.NArg() == 0 && err == nil && base != "" {
		say(c.App.ErrWriter, "what the branch changed: git diff %s...", visible.Shell(base))
	}
	return nil
}
