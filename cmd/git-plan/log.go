package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/transcript"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func logCommand() *cli.Command {
	return &cli.Command{
		Name: "log", Usage: "show what happened to the plan, newest first", ArgsUsage: "[<step>]",
		Description: "With --diff it shows how the plan changed, word by word: since the last approval, or since\n" +
			"the plan was made; or since a version, or between two. A version is a commit of the plan,\n" +
			"as git plan log names it, or ~N for N changes ago; approvals and ticks are changes, too.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "print the transcript of session `ID`, or of the last one at a step"},
			&cli.BoolFlag{Name: "f", Aliases: []string{"follow"}, Usage: "follow what happens, until Ctrl-C"},
			&cli.BoolFlag{Name: "diff", Usage: "show how the plan changed: --diff [<version> [<version>]]"},
			&cli.BoolFlag{Name: "p", Usage: "show how each event changed the plan's text, word by word"},
			plainFlag(),
			&cli.BoolFlag{Name: "json", Usage: "with --session: print its lines as stored, one JSON object each"},
		},
		Action: func(c *cli.Context) error {
			if c.Bool("diff") {
				if c.NArg() > 2 {
					return misused(c, "log --diff takes at most two versions")
				}
				return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printDiff) })
			}
			if err := arguments(c, 1); err != nil {
				return err
			}
			if c.Bool("json") && !c.IsSet("session") {
				return misused(c, "--json is for --session")
			}
			if c.IsSet("session") {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printSession) })
			}
			if c.Bool("f") {
				return withPlan(c.Context, func(co *checkout.Checkout) error { return printLog(c, co) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printLog) })
		},
	}
}

func printLog(c *cli.Context, co *checkout.Checkout) error {
	only := ""
	if c.NArg() == 1 {
		step, err := stepOf(co, c.Args().First())
		if err != nil {
			return err
		}
		only = step.ID
	}
	if c.Bool("f") {
		return followLog(c, co, only)
	}
	return views.Log(c.Context, c.App.Writer, co, only, c.Bool("p"))
}

// printSession prints a transcript: of the branch's plan, or without one of a
// review.
func printSession(c *cli.Context, co *checkout.Checkout) error {
	if err := co.Load(c.Context); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		return err
	}
	name := c.String("session")
	if co.Doc != nil {
		if step, ok := co.Doc.Plan.Step(name); ok {
			name = step.ID
		}
	}
	f, err := transcript.Open(co, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.Bool("json") {
		_, err := io.Copy(c.App.Writer, f)
		return err
	}
	return agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		say(c.App.Writer, "%s", visible.Line(p.Heading))
		if p.Text != "" {
			say(c.App.Writer, "    %s", strings.ReplaceAll(strings.TrimRight(visible.Text(p.Text), "\n"), "\n", "\n    "))
		}
	})
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
			see = fmt.Sprintf("; only boxes and states changed (git plan log --diff ~%d shows them)", last-edit)
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
		see += "; what the last edit did: git plan log --diff " + versions
	}
	say(c.App.ErrWriter, "the plan is %s%s", as, see)
	if base, err := co.Base(c.Context, co.Doc.Plan.Base); c.NArg() == 0 && err == nil && base != "" {
		say(c.App.ErrWriter, "what the branch changed: git diff %s...", visible.Shell(base))
	}
	return nil
}

// paged shows what a command prints to a terminal in the person's pager.
func paged(c *cli.Context, co *checkout.Checkout, print func(*cli.Context, *checkout.Checkout) error) error {
	configured, set := co.Config.Get("core.pager")
	pager := terminal.Pager(configured, set)
	if pager == "" || !terminal.Is(os.Stdout) || co.Trusted(c.Context) != nil {
		return print(c, co)
	}
	return terminal.Page(c.Context, pager, func(w io.Writer) error {
		c.App.Writer = w
		return print(c, co)
	})
}
