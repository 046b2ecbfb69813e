package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Ask puts questions to the person at the terminal; an empty answer leaves the decision to the planner.
func Ask(ctx context.Context, out io.Writer, questions []agent.Question) ([]string, error) {
	return ask(func() (string, error) { return ReadLine(ctx) }, out, questions)
}

func ask(next func() (string, error), out io.Writer, questions []agent.Question) ([]string, error) {
	answers := make([]string, len(questions))
	for i, q := range questions {
		fmt.Fprintf(out, "\nquestion %d of %d: %s\n", i+1, len(questions), visible.Line(q.Text))
		for n, s := range q.Suggested {
			fmt.Fprintf(out, "  %d) %s\n", n+1, visible.Line(s))
		}
		empty := "the planner decides"
		if len(q.Suggested) > 0 {
			empty = "1"
		}
		fmt.Fprintf(out, "answer (Enter: %s): ", empty)
		line, err := next()
		if errors.Is(err, io.EOF) {
			fmt.Fprintf(out, "\nwhat is not answered the planner decides\n")
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

// pasted is the most time between two lines of one paste; typing is slower.
const pasted = 30 * time.Millisecond

// ReadLine returns a line that is typed after the call, or a paste joined by blanks; io.EOF for Ctrl-D.
func ReadLine(ctx context.Context) (string, error) {
	terminal := int(os.Stdin.Fd())
	proc.Discard(terminal)
	var text []string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		var line [4096]byte // a terminal gives no longer ones
		for more := proc.AwaitTyped(ctx, terminal); more && err == nil; more = proc.Typed(terminal, pasted) {
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
