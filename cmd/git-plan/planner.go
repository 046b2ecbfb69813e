package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// asker puts a planner's questions to whoever sits at the terminal. Without --ask nobody is
// asked.
func asker(c *cli.Context) (func([]agent.Question) ([]string, error), error) {
	if !c.Bool("ask") {
		return nil, nil
	}
	if !terminal.Attended() {
		return nil, misused(c, "--ask needs a terminal: nobody is there to answer")
	}
	return func(questions []agent.Question) ([]string, error) {
		return terminal.Ask(c.Context, c.App.ErrWriter, questions)
	}, nil
}

// maxContext bounds each text that is attached for a planner, in bytes.
const maxContext = 128 << 10

// given reads the files of --context; "-" is standard input.
func given(c *cli.Context) ([][2]string, error) {
	var out [][2]string
	for _, name := range c.StringSlice("context") {
		in := io.NopCloser(os.Stdin)
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, misused(c, "--context: %v", err)
			}
			in = f
		}
		data, err := io.ReadAll(io.LimitReader(in, maxContext+1))
		in.Close()
		if err != nil {
			return nil, misused(c, "--context: %v", err)
		}
		if bytes.IndexByte(data, 0) >= 0 {
			return nil, misused(c, "--context: %s is not text: it has a NUL byte", visible.Line(name))
		}
		if len(data) > maxContext {
			return nil, &fault.Fault{Kind: fault.ErrTooLarge, Text: fmt.Sprintf("%s is longer than %d bytes: give the part that matters", visible.Line(name), maxContext)}
		}
		if name == "-" {
			name = "standard input"
		}
		out = append(out, [2]string{name, string(data)})
	}
	return out, nil
}

// planning returns what a planner session is asked for, by the flags.
func planning(c *cli.Context, co *checkout.Checkout, base, goal string) (p prompt.Planning, err error) {
	p.Goal = goal
	if c.String("template") != "" {
		if p.Template, err = co.Template(c.Context, base, c.String("template")); err != nil {
			return p, err
		}
	}
	if p.Context, err = given(c); err != nil {
		return p, err
	}
	p.Ask, err = asker(c)
	return p, err
}
