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

// Ask puts questions to the person at the terminal, one after the other, and returns an answer
// for each. A number selects a suggested answer, an empty line the first one. An empty answer
// leaves the decision to the planner: nothing was suggested, or the input has ended.
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

// pasted is how soon after a line another one follows that was pasted with it.
// Nobody types as fast.
const pasted = 30 * time.Millisecond

// ReadLine returns what a person types now on standard input: a line, or several that were
// pasted together, joined by blanks. Input typed before the call is discarded. The error is
// io.EOF for Ctrl-D, else the context's.
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
