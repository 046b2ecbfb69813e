package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// say prints a text, which no terminal of 80 columns wraps; with a person there it waits for Enter.
func (d *Demo) say(text string) {
	fmt.Fprintf(d.out, "\n%s\n", text)
	if d.waits {
		fmt.Fprint(d.out, "[Enter]")
		waits := time.Now()
		if _, err := terminal.ReadLine(d.ctx); err != nil {
			d.waits = false
		}
		d.began = d.began.Add(time.Since(waits)) // a person reads: that is no part of the work
		fmt.Fprint(d.out, "\x1b[A\x1b[K")        // the line that Enter ended
	}
}

// run shows a git command with its output. Its exit code must be the one that the text around it
// mentions.
func (d *Demo) run(code int, args ...string) error {
	shown := make([]string, len(args))
	for i, a := range args {
		if shown[i] = a; strings.Contains(a, " ") {
			shown[i] = `"` + a + `"`
		}
	}
	fmt.Fprintf(d.out, "  $ git %s\n", strings.Join(shown, " "))
	cmd := proc.Cmd{Name: "git", Args: args, Dir: d.repo(), Env: d.env, Stdout: os.Stdout, Stderr: os.Stderr}
	if self, err := os.Executable(); err == nil && args[0] == "plan" {
		// Asked a second time, as by Ctrl-C and by us, git itself would end before what it started.
		cmd.Name, cmd.Args = self, args[1:]
	}
	if !d.drawn {
		indented := &indent{w: d.out}
		cmd.Stdout, cmd.Stderr = indented, indented
	}
	exit, err := proc.RunGracefully(d.ctx, cmd)
	if err == nil {
		err = context.Cause(d.ctx)
	}
	if err == nil && exit.Code != code {
		err = fmt.Errorf("git %s ended with %d, not %d; look at %s", strings.Join(shown, " "), exit.Code, code, d.repo())
	}
	return err
}

func (d *Demo) quietly(args ...string) error {
	said := &proc.Tail{}
	exit, err := proc.Run(d.ctx, proc.Cmd{Name: "git", Args: args, Dir: d.repo(), Env: d.env, Stdout: said, Stderr: said})
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("git %s: %s", strings.Join(args, " "), said)
	}
	return err
}

// indent writes every line a little to the right.
type indent struct {
	w     io.Writer
	midst bool // of a line
}

func (i *indent) Write(p []byte) (int, error) {
	for _, line := range strings.SplitAfter(string(p), "\n") {
		if line == "" {
			continue
		}
		if !i.midst {
			line = "  " + line
		}
		i.midst = !strings.HasSuffix(line, "\n")
		if _, err := io.WriteString(i.w, line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
