package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
)

// asker puts a planner's questions to whoever sits at the terminal. Without
// --ask nobody is asked.
func asker(c *cli.Context) (func([]agent.Question) ([]string, error), error) {
	if !c.Bool("ask") {
		return nil, nil
	}
	if !terminal() {
		return nil, misused(c, "--ask needs a terminal: nobody is there to answer")
	}
	return func(questions []agent.Question) ([]string, error) {
		return askAll(os.Stdin, c.App.ErrWriter, questions)
	}, nil
}

// askAll asks one question after the other. A number takes a suggested answer,
// an empty line the first one.
func askAll(in io.Reader, out io.Writer, questions []agent.Question) ([]string, error) {
	lines := bufio.NewReader(in)
	var answers []string
	for i, q := range questions {
		say(out, "\nquestion %d of %d: %s", i+1, len(questions), clean(q.Text))
		for n, s := range q.Suggested {
			say(out, "  %d) %s", n+1, clean(s))
		}
		fmt.Fprint(out, "answer: ")
		line, err := lines.ReadString('\n')
		if line = strings.TrimSpace(line); err != nil && line == "" {
			return answers, errors.New("nobody answered")
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(q.Suggested) {
			line = q.Suggested[n-1]
		}
		if line == "" && len(q.Suggested) > 0 {
			line = q.Suggested[0]
		}
		if line == "" {
			line = "(no answer: decide)"
		}
		answers = append(answers, line)
	}
	return answers, nil
}

// maxContext bounds each text that is given along to a planner, in bytes.
const maxContext = 128 << 10

// given reads the files of --context; "-" is standard input.
func given(c *cli.Context) ([][2]string, error) {
	var out [][2]string
	for _, name := range c.StringSlice("context") {
		in := io.NopCloser(os.Stdin)
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			in = f
		}
		data, err := io.ReadAll(io.LimitReader(in, maxContext+1))
		in.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(data) > maxContext {
			return nil, &gitplan.Fault{Kind: gitplan.ErrTooLarge, Text: fmt.Sprintf("%s is longer than %d bytes: give the part that matters", clean(name), maxContext)}
		}
		if name == "-" {
			name = "standard input"
		}
		out = append(out, [2]string{name, string(data)})
	}
	return out, nil
}
