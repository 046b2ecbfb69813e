package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
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

func statusCommand(c *command) *cli.Command {
	var porcelain, json bool
	c.option(&porcelain, "porcelain", "stable lines for programs")
	c.option(&json, "json", "one JSON object for programs")
	return c.define("status", "", "show where the plan is and what comes next", c.inRepo(0, func(co *checkout.Checkout) error {
		if porcelain && json {
			return c.misused("--porcelain and --json cannot be used together")
		}
		err := printStatus(c, co, porcelain, json)
		if porcelain && errors.Is(err, fault.ErrNoPlan) {
			return nil
		}
		return err
	}))
}

func printStatus(c *command, co *checkout.Checkout, porcelain, json bool) error {
	if err := co.LoadToRead(c.Context); err != nil {
		return err
	}
	s, err := status.Of(c.Context, co)
	switch {
	case err != nil:
		return err
	case porcelain:
		views.Porcelain(c.Out, s)
	case json:
		return views.JSON(c.Out, s)
	default:
		views.Standing(c.Context, c.Out, co, s)
	}
	return nil
}

// overview is git plan without a command: the status, or without a plan how to begin.
func overview(c *command, co *checkout.Checkout) error {
	none := printStatus(c, co, false, false)
	if !errors.Is(none, fault.ErrNoPlan) {
		return none
	}
	say(c.Out, "%s", none)
	fetch := ""
	if errors.Is(none, fault.ErrPlanPushed) {
		fetch = "\n  git plan fetch             gets the one that was pushed for this branch"
	}
	terminal.FoldText(c.Out, terminal.Width(os.Stdout), `
  git plan "what you want"   lets a model read the repository and write one
  git plan new -F FILE       takes one from a file
  git plan new               opens your editor on a template`+fetch+`
  git plan list              shows the plans of other branches
  git plan demo              shows it end to end, in a throwaway repository`)
	return nil
}

func listCommand(c *command) *cli.Command {
	return c.define("list", "", "list the plans of the repository", c.inPager(0, func(co *checkout.Checkout) error {
		plans, err := status.List(c.Context, co)
		if err != nil {
			return err
		}
		var rows [][]any
		paint := views.Colors(co, os.Stdout)
		for _, p := range plans {
			far, state := "-", p.State
			if p.Total > 0 {
				far = progress.Far(p.Done, p.Skipped, p.Total)
			}
			if p.Unattached != "" {
				state += ", its branch " + p.Unattached
			}
			here := map[bool]string{true: "* ", false: "  "}[p.Here] + p.Branch
			n, unit := max(int(time.Since(p.Time)/time.Second), 0), "second"
			for i, of := range []int{60, 60, 24} {
				if n < of {
					break
				}
				n, unit = n/of, []string{"minute", "hour", "day"}[i]
			}
			age := visible.Count(n, unit) + " ago"
			rows = append(rows, []any{here, far, views.InColor(paint, progress.State(p.State), state), age, p.ID})
		}
		return terminal.Table(c.Out, terminal.Width(os.Stdout), rows)
	}))
}

type showOptions struct {
	*command
	review, prompt, graph, json bool
	wording                     string
}

func showCommand(with *command) *cli.Command {
	c := &showOptions{command: with}
	c.option(&c.review, "review",
		"print what the last review found and what is left of it, with or without a plan; exits with 0 whatever that is")
	c.option(&c.prompt, "prompt", "print the prompt of a session for the step")
	c.option(&c.wording, "wording",
		"print the built-in prompt of `ROLE` ("+listed(prompt.Worded())+"), as a start for .gitplan/prompts/ROLE.md; see gitplan-format(5) for its variables")
	c.option(&c.graph, "graph", "show which step needs which")
	c.option(&c.json, "json", "one JSON object for programs")
	return c.define("show", "[<step>]", "print the plan, one step, or what the last review found",
		c.inRepo(1, func(co *checkout.Checkout) error {
			c.prompts = true
			if c.wording != "" {
				text := prompt.Builtin(agent.Role(c.wording))
				if text == "" {
					return c.misused("--wording must be one of %s, not %q", listed(prompt.Worded()), c.wording)
				}
				_, err := io.WriteString(c.Out, text) // to the byte
				return err
			}
			return paged(c.command, co, func() error {
				switch err := co.Load(c.Context); {
				case c.review || mayBeFinding(co, c.arg(0), err):
					return showReview(c, co, err)
				case err != nil:
					return err
				}
				return show(c, co)
			})
		}))
}

func show(c *showOptions, co *checkout.Checkout) error {
	if c.graph {
		terminal.Println(c.Out, strings.TrimRight(visible.Text(progress.Graph(co.Doc.Plan, co.Progress)), "\n"))
		return nil
	}
	if len(c.args) == 0 && !c.prompt {
		if c.json {
			s, err := status.Of(c.Context, co)
			if err != nil {
				return err
			}
			return views.JSON(c.Out, views.WholePlan(s, co))
		}
		_, err := c.Out.Write([]byte(terminal.OnScreen(string(share.AsItStands(co)))))
		return err
	}
	step, err := stepOf(co, c.arg(0))
	if err != nil {
		return nothingToDo(c.command, err)
	}
	if c.prompt {
		if err := proposals(c.command, co, co.Doc.Plan.Base); err != nil {
			return err
		}
		attempts, err := co.Config.Int("plan.attempts")
		if err != nil {
			return err
		}
		try := prompt.Attempt{N: 1, Of: cmp.Or(step.Attempts, attempts), Nonce: strings.Repeat("0", 16), Dir: co.Repo.Top}
		reported := co.Config.FullPrompt(step,
			agent.Session{Role: agent.Executor, Nonce: try.Nonce, Prompt: co.StepPrompt(c.Context, step)(try)})
		_, err = io.WriteString(c.Out, visible.Text(reported)) // to the byte
		return err
	}
	out := views.AllSteps(co)[step.N-1]
	if c.json {
		out.Schema = 1
		return views.JSON(c.Out, out)
	}
	terminal.Println(c.Out, strings.TrimRight(terminal.OnScreen(step.Text), "\n"))
	views.StepState(map[bool]io.Writer{false: c.Err, true: c.Out}[terminal.Is(os.Stdout)], co, out) // in the pager as well
	return nil
}

// showReview prints how the last review ended and what is left, or one finding; none says why there is no plan.
func showReview(c *showOptions, co *checkout.Checkout, none error) error {
	if none != nil && !errors.Is(none, fault.ErrNoPlan) {
		return none
	}
	l, err := ledger.Last(c.Context, co.Store, co.Doc, co.Branch)
	switch {
	case err != nil:
		return err
	case l == nil:
		return &fault.Fault{Kind: fault.ErrNotReviewed, Text: "the branch was not reviewed yet"}
	case c.json:
		return views.JSON(c.Out, l)
	}
	text := l.Earlier()
	if id := c.arg(0); id != "" {
		if text = l.Of(id); text == "" {
			return fault.New(fault.ErrUnknownFinding, "the last review has no finding %s", visible.OneLine(id, 40))
		}
	}
	terminal.FoldText(c.Out, terminal.Width(os.Stdout), visible.Text(text))
	if tree, err := co.Repo.Resolve(c.Context, "HEAD^{tree}"); err == nil && tree != l.HeadTree {
		say(c.Err, "that was at %s; the branch has changed since: git plan review", visible.Short(l.Head))
	}
	return nil
}
