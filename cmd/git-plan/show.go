package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "print the plan, one step, or what the last review found", ArgsUsage: "[<step>]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "review", Usage: "print what the last review found and what is left of it, with or without a plan"},
			&cli.BoolFlag{Name: "prompt", Usage: "print the prompt of a session for the step"},
			&cli.StringFlag{Name: "wording", Usage: "print the built-in prompt of `ROLE`, as a start for .gitplan/prompts/ROLE.md; see gitplan-format(5) for its variables"},
			&cli.BoolFlag{Name: "graph", Usage: "show which step needs which"},
			&cli.BoolFlag{Name: "states", Usage: "print the states of a step, and which event brings it into which"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			if c.Bool("states") {
				say(c.App.Writer, "%s", strings.TrimRight(progress.States(), "\n"))
				return nil
			}
			if c.IsSet("wording") {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return showWording(c, co) })
			}
			if c.Bool("review") {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, showReview) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, show) })
		},
	}
}

func show(c *cli.Context, co *checkout.Checkout) error {
	switch {
	case c.Bool("graph"):
		say(c.App.Writer, "%s", strings.TrimRight(visible.Text(progress.Graph(co.Doc.Plan, co.Progress)), "\n"))
		return nil
	}
	if c.NArg() == 0 && !c.Bool("prompt") {
		if c.Bool("json") {
			s, err := standing.Of(c.Context, co)
			if err != nil {
				return err
			}
			return views.JSON(c.App.Writer, views.WholePlan(s, co))
		}
		_, err := c.App.Writer.Write([]byte(terminal.OnScreen(string(share.AsItStands(co)))))
		return err
	}
	step, err := stepOf(co, c.Args().First())
	if err != nil {
		return nothingToDo(c, err)
	}
	if c.Bool("prompt") {
		write, err := co.StepPrompt(c.Context, step)
		if err != nil {
			return err
		}
		if err := proposals(c, co, co.Doc.Plan.Base); err != nil {
			return err
		}
		try := prompt.Attempt{N: 1, Nonce: strings.Repeat("0", 16), Dir: co.Repo.Top, Stale: co.Stale(c.Context, step)[step.ID]}
		reported := co.Config.FullPrompt(step, agent.Session{Role: agent.Executor, Nonce: try.Nonce, Prompt: write(try)})
		_, err = io.WriteString(c.App.Writer, visible.Text(reported)) // to the byte
		return err
	}
	out := views.OneStep(step, co)
	if c.Bool("json") {
		out.Schema = 1
		return views.JSON(c.App.Writer, out)
	}
	say(c.App.Writer, "%s", strings.TrimRight(terminal.OnScreen(step.Text), "\n"))
	views.StepState(c.App.ErrWriter, co, out)
	return nil
}

// showWording prints a prompt as it is before anything is filled in.
func showWording(c *cli.Context, co *checkout.Checkout) error {
	text := prompt.Builtin[agent.Role(c.String("wording"))]
	if text == "" {
		var roles []string
		for _, r := range prompt.Worded() {
			roles = append(roles, string(r))
		}
		return misused(c, "--wording must be one of %s, not %q", strings.Join(roles, ", "), c.String("wording"))
	}
	_, err := io.WriteString(c.App.Writer, text) // to the byte
	return err
}

// showReview prints how the last review ended and what is left of its findings.
func showReview(c *cli.Context, co *checkout.Checkout) error {
	if c.NArg() > 0 {
		return misused(c, "--review is about the branch, not about a step")
	}
	if err := co.Load(c.Context); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		return err
	}
	l, err := ledger.Last(c.Context, co.Store, co.Doc, co.Branch)
	switch {
	case err != nil:
		return err
	case l == nil:
		return &fault.Fault{Kind: fault.ErrNotReviewed, Text: "the branch was not reviewed yet"}
	case c.Bool("json"):
		return views.JSON(c.App.Writer, l)
	}
	var text bytes.Buffer
	o := &ledger.Outcome{End: l.End, Reason: l.Reason, Ledger: l}
	if err := o.WriteEarlier(&text); err != nil {
		return err
	}
	terminal.FoldText(c.App.Writer, terminal.Width(os.Stdout), visible.Text(text.String()))
	if tree, err := co.Repo.Resolve(c.Context, "HEAD^{tree}"); err == nil && tree != l.HeadTree {
		say(c.App.ErrWriter, "that was at %s; the branch has changed since: git plan review", visible.Line(visible.Short(l.Head)))
	}
	return nil
}
