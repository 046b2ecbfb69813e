package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
)

func lintCommand() *cli.Command {
	return &cli.Command{
		Name: "lint", Usage: "what is wrong or weak in a plan, with line numbers", ArgsUsage: "[<file>]",
		Description: "Looks at the plan of this branch, or at a file (- is standard input). Exits with 1\n" +
			"where the plan cannot be used; weaknesses are told.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "strict", Usage: "exit with 1 for weaknesses too"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *gitplan.Checkout) error { return lint(c, co) })
		},
	}
}

func lint(c *cli.Context, co *gitplan.Checkout) error {
	text, err := textToLint(c, co)
	if err != nil {
		return err
	}
	found, err := co.Lint(c.Context, text)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if found == nil {
			found = []gitplan.Weakness{}
		}
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		err = e.Encode(map[string]any{"schema": 1, "weaknesses": found})
	} else {
		tellWeaknesses(c.App.Writer, found)
	}
	for _, w := range found {
		if err == nil && (w.Error || c.Bool("strict")) {
			return &ended{exitError}
		}
	}
	return err
}

func textToLint(c *cli.Context, co *gitplan.Checkout) ([]byte, error) {
	switch name := c.Args().First(); name {
	case "":
		if err := co.Load(c.Context); err != nil {
			return nil, err
		}
		return co.Doc.Plan.Source, proposals(c, co, co.Doc.Plan.Base)
	case "-":
		return io.ReadAll(os.Stdin)
	default:
		return os.ReadFile(name)
	}
}

// tellWeaknesses prints a line for each, with how to mend it.
func tellWeaknesses(w io.Writer, found []gitplan.Weakness) {
	for _, f := range found {
		line := fmt.Sprintf("line %d: %s: ", f.Line, f.Rule)
		if f.Step != "" {
			line += fmt.Sprintf("step %s: ", f.Step)
		}
		line += clean(f.Text)
		if f.Mend != "" {
			line += "; " + f.Mend
		}
		say(w, "%s", line)
	}
}
