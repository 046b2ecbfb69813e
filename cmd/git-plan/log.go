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
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

type logOptions struct {
	*command
	session                   string
	follow, diff, patch, json bool
}

func logCommand() *cli.Command {
	c := &logOptions{command: new(command)}
	return &cli.Command{
		Name: "log", Usage: "show what happened to the plan, newest first", ArgsUsage: "[<step>]",
		Description: "With --diff it shows how the plan changed, word by word: since the last approval, or since\n" +
			"the plan was made; or since a version, or between two. A version is a commit of the plan,\n" +
			"as git plan log names it, or ~N for N changes ago; approvals and ticks are changes, too.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Destination: &c.session, Usage: "print the transcript of session `ID`, or of the last one at a step"},
			&cli.BoolFlag{Name: "f", Aliases: []string{"follow"}, Destination: &c.follow, Usage: "follow what happens, until Ctrl-C"},
			&cli.BoolFlag{Name: "diff", Destination: &c.diff, Usage: "show how the plan changed: --diff [<version> [<version>]]"},
			&cli.BoolFlag{Name: "p", Destination: &c.patch, Usage: "show how each event changed the plan's text, word by word"},
			c.plainFlag(),
			&cli.BoolFlag{Name: "json", Destination: &c.json, Usage: "with --session: print its lines as stored, one JSON object each"},
		},
		Action: c.do(func() error {
			if c.diff {
				if len(c.args) > 2 {
					return c.misused("log --diff takes at most two versions")
				}
				return withPlan(c.Context, func(co *checkout.Checkout) error {
					return paged(c.command, co, func() error { return printDiff(c.command, co) })
				})
			}
			if err := c.arguments(1); err != nil {
				return err
			}
			if c.json && c.session == "" {
				return c.misused("--json is for --session")
			}
			if c.session != "" {
				return withCheckout(c.Context, func(co *checkout.Checkout) error {
					return paged(c.command, co, func() error { return printSession(c, co) })
				})
			}
			if c.follow {
				return withPlan(c.Context, func(co *checkout.Checkout) error { return printLog(c, co) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error {
				return paged(c.command, co, func() error { return printLog(c, co) })
			})
		}),
	}
}

func printLog(c *logOptions, co *checkout.Checkout) error {
	only := ""
	if len(c.args) == 1 {
		step, err := stepOf(co, c.arg(0))
		if err != nil {
			return err
		}
		only = step.ID
	}
	if c.follow {
		return followLog(c.command, co, only)
	}
	return views.Log(c.Context, c.Out, co, only, c.patch)
}

// printSession prints a transcript: of the branch's plan, or without one of a
// review.
func printSession(c *logOptions, co *checkout.Checkout) error {
	if err := co.Load(c.Context); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		return err
	}
	name := c.session
	if co.Doc != nil {
		if step, ok := co.Doc.Plan.Step(name); ok {
			name = step.ID
		}
	}
	f, err := attempts.OpenTranscript(co, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.json {
		_, err := io.Copy(c.Out, f)
		return err
	}
	return agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		say(c.Out, "%s", visible.Line(p.Heading))
		if p.Text != "" {
			say(c.Out, "    %s", strings.ReplaceAll(strings.TrimRight(visible.Text(p.Text), "\n"), "\n", "\n    "))
		}
	})
}

func printDiff(c *command, co *checkout.Checkout) error {
	before, after, err := versions(c, co)
	if err != nil {
		return err
	}
	change := share.CompareWords(before, after)
	if change == "" && len(c.args) < 2 {
		return printUnchanged(c, co)
	}
	_, err = c.Out.Write([]byte(views.Colors(co).Words(terminal.OnScreen(change))))
	return err
}

// versions returns the two texts to compare.
func versions(c *command, co *checkout.Checkout) (before, after []byte, err error) {
	after = co.Doc.Plan.Source
	if len(c.args) == 0 {
		before, err = integrity.ApprovedMeaning(co.Repo, co.Doc.ID)
		if err != nil || before != nil {
			return before, plan.Meaning(after), err
		}
		before, err = co.Version(c.Context, co.Doc.Events[0].Commit)
		return before, after, err
	}
	if before, err = co.Version(c.Context, c.arg(0)); err == nil && len(c.args) == 2 {
		after, err = co.Version(c.Context, c.arg(1))
	}
	return before, after, err
}

// printUnchanged says that nothing differs, and how to see what a person or a planner
// changed last: most edits are approved as they are typed.
func printUnchanged(c *command, co *checkout.Checkout) error {
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
	if approved, _ := integrity.ApprovedMeaning(co.Repo, co.Doc.ID); len(c.args) == 0 && approved != nil {
		as = "as it was approved"
		if !bytes.Equal(text, co.Doc.Plan.Source) { // an approval does not cover that
			see = fmt.Sprintf("; only boxes and states changed (git plan log --diff ~%d shows them)", last-edit)
		}
	}
	if len(c.args) > 0 { // only an approval or a tick may separate two versions
		as = "as it was at " + visible.Line(c.arg(0))
	}
	if edit > 0 {
		versions := fmt.Sprintf("~%d", last-edit+1)
		if edit < last {
			versions += fmt.Sprintf(" ~%d", last-edit)
		}
		see += "; what the last edit did: git plan log --diff " + versions
	}
	say(c.Err, "the plan is %s%s", as, see)
	if base, err := co.Base(c.Context, co.Doc.Plan.Base); len(c.args) == 0 && err == nil && base != "" {
		say(c.Err, "what the branch changed: git diff %s...", visible.Shell(base))
	}
	return nil
}

// paged shows what a command prints to a terminal in the person's pager.
func paged(c *command, co *checkout.Checkout, print func() error) error {
	configured, set := co.Config.Get("core.pager")
	pager := terminal.Pager(configured, set)
	if pager == "" || !terminal.Is(os.Stdout) || co.Trusted(c.Context) != nil {
		return print()
	}
	return terminal.Page(c.Context, pager, func(w io.Writer) error {
		c.Out = w
		return print()
	})
}
