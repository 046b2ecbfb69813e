package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// asker puts a planner's questions to whoever sits at the terminal. Without
// --ask nobody is asked, and only the built-in agent has a tool to ask with.
func asker(c *cli.Context, co *gitplan.Checkout) (func([]agent.Question) ([]string, error), error) {
	if !c.Bool("ask") {
		return nil, nil
	}
	a, err := co.Config.Agent(agent.Planner)
	if err != nil {
		return nil, err
	}
	if agent.MayWrite(a) {
		return nil, misused(c, "--ask is for the built-in agent: the planner is %s, a program of its own, which cannot ask", clean(a.Name()))
	}
	if !terminal() {
		return nil, misused(c, "--ask needs a terminal: nobody is there to answer")
	}
	return func(questions []agent.Question) ([]string, error) {
		return askAll(func() (string, error) { return typedLine(c.Context) }, c.App.ErrWriter, questions)
	}, nil
}

// askAll asks one question after the other. A number takes a suggested answer,
// an empty line the first one; where there is none, or nobody is there any more,
// it is not answered.
func askAll(next func() (string, error), out io.Writer, questions []agent.Question) ([]string, error) {
	answers := make([]string, len(questions))
	for i, q := range questions {
		say(out, "\nquestion %d of %d: %s", i+1, len(questions), clean(q.Text))
		for n, s := range q.Suggested {
			say(out, "  %d) %s", n+1, clean(s))
		}
		empty := "the planner decides"
		if len(q.Suggested) > 0 {
			empty = "1"
		}
		fmt.Fprintf(out, "answer (Enter: %s): ", empty)
		line, err := next()
		if errors.Is(err, io.EOF) {
			say(out, "\nwhat is not answered the planner decides")
			break
		}
		if err != nil {
			return answers, err
		}
		n, err := strconv.Atoi(cmp.Or(line, "1"))
		if err == nil && n >= 1 && n <= len(q.Suggested) {
			line = q.Suggested[n-1]
		}
		answers[i] = line
	}
	return answers, nil
}

// pasted is how soon after a line another one follows that was pasted with it.
// Nobody types as fast.
const pasted = 30 * time.Millisecond

// typedLine is what a person types now on standard input: a line, or several
// that were pasted together, with blanks between them. What was typed before is
// an answer to nothing. The error is io.EOF for Ctrl-D, else the context's.
func typedLine(ctx context.Context) (string, error) {
	terminal := int(os.Stdin.Fd())
	proc.Discard(terminal)
	var text []string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		var line [4096]byte // a terminal gives no longer ones
		for more := true; more && err == nil; more = proc.Typed(terminal, pasted) {
			var n int
			n, err = os.Stdin.Read(line[:])
			text = append(text, strings.TrimSpace(string(line[:n])))
		}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-done:
		return strings.TrimSpace(strings.Join(text, " ")), err
	}
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
			return nil, misused(c, "--context: %s is no text: it has a NUL byte", clean(name))
		}
		if len(data) > maxContext {
			return nil, &fault.Fault{Kind: fault.ErrTooLarge, Text: fmt.Sprintf("%s is longer than %d bytes: give the part that matters", clean(name), maxContext)}
		}
		if name == "-" {
			name = "standard input"
		}
		out = append(out, [2]string{name, string(data)})
	}
	return out, nil
}
