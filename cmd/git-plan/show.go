package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "print the plan, or one step", ArgsUsage: "[<step>]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "prompt", Usage: "print what a session for the step would be told"},
			&cli.BoolFlag{Name: "graph", Usage: "print which step needs which"},
			&cli.BoolFlag{Name: "mermaid", Usage: "the same as a Mermaid flowchart"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error { return show(c, co) })
		},
	}
}

func show(c *cli.Context, co *gitplan.Checkout) error {
	switch {
	case c.Bool("mermaid"):
		say(c.App.Writer, "%s", strings.TrimRight(printable(gitplan.Mermaid(co.Doc.Plan, co.Progress)), "\n"))
		return nil
	case c.Bool("graph"):
		say(c.App.Writer, "%s", strings.TrimRight(printable(gitplan.Graph(co.Doc.Plan, co.Progress)), "\n"))
		return nil
	}
	if c.NArg() == 0 && !c.Bool("prompt") {
		if c.Bool("json") {
			s, err := standing(c, co)
			if err != nil {
				return err
			}
			return s.json(c.App.Writer)
		}
		text, err := asItStands(co)
		if err == nil {
			_, err = c.App.Writer.Write([]byte(printable(string(text))))
		}
		return err
	}
	step, err := stepOf(co, c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("prompt") {
		budget, err := co.Config.Int("plan.promptBudget")
		if err != nil {
			return err
		}
		if err := proposals(c, co, co.Doc.Plan.Base); err != nil {
			return err
		}
		try := gitplan.Attempt{N: 1, Nonce: strings.Repeat("0", 16)}
		p := co.Prompts.Step(co.Doc.Plan, co.Progress, step, try, gitplan.Instructions(co.Repo.Top), budget)
		told := co.Config.Told(step, agent.Session{Role: agent.Executor, Nonce: try.Nonce, Prompt: p})
		_, err = io.WriteString(c.App.Writer, printable(told)) // to the byte
		return err
	}
	st := co.Progress.Steps[step.ID]
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{
			"schema": 1, "n": step.N, "id": step.ID, "title": step.Title, "state": st.State, "commit": st.Commit,
			"files": step.Files, "needs": step.Needs, "checks": gitplan.Commands(step.Checks), "text": step.Text,
		})
	}
	say(c.App.Writer, "%s", strings.TrimRight(printable(step.Text), "\n"))
	say(c.App.ErrWriter, "state: %s", st.State)
	return nil
}

// asItStands is the plan's text with the boxes that are derived to be ticked.
func asItStands(co *gitplan.Checkout) (text []byte, err error) {
	text = co.Doc.Plan.Source
	for _, s := range co.Doc.Plan.Steps {
		if done := co.Progress.Steps[s.ID].State == gitplan.StateDone; done != s.Box {
			if text, err = gitplan.Tick(text, s.ID, done); err != nil {
				return nil, err
			}
		}
	}
	return text, nil
}

// stepOf is the named step, or without a name the next one.
func stepOf(co *gitplan.Checkout, name string) (*gitplan.Step, error) {
	if name == "" {
		if s, ok := co.Progress.Next(co.Doc.Plan); ok {
			return s, nil
		}
		return nil, &gitplan.Fault{Kind: gitplan.ErrNothingLeft, Text: "no step is open that could be next"}
	}
	if s, ok := co.Doc.Plan.Step(name); ok {
		return s, nil
	}
	return nil, &gitplan.Fault{Kind: gitplan.ErrUnknownStep, Text: fmt.Sprintf("the plan has no step %s", clean(name))}
}
