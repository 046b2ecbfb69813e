package git

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Run runs git in the repository. If git fails the error is an *Error.
func (r *Repo) Run(ctx context.Context, c Command) error {
	if r.Trusted != nil && !c.runsNothing() {
		if err := r.Trusted(ctx); err != nil {
			return err
		}
	}
	env := append(r.environ(c), c.Env...)
	if !c.Localised {
		env = append(env, "LC_ALL=C")
	}
	said := &proc.Tail{}
	var stderr io.Writer = said
	if c.Stderr != nil {
		stderr = io.MultiWriter(said, c.Stderr)
	}
	cmd := proc.Cmd{Name: "git", Outside: true, Args: c.Args, Dir: r.dir(), Env: env, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: stderr,
		Apart: !c.Localised, Fleeting: !c.Localised && !c.Writes}
	if c.Writes {
		var end func()
		ctx, end = unhurried(ctx)
		defer end()
	}
	watched, over := r.unbarred(ctx)
	defer over()
	if c.Writes && r.OnWrite != nil {
		cmd.OnStart = r.OnWrite
		defer r.OnWrite(0)
	}
	exit, err := proc.Run(watched, cmd)
	if err != nil {
		return err
	}
	if exit.Code != 0 {
		return &Error{Args: c.Args, Code: exit.Code, Stderr: said.String(), Lock: r.lockedBy(c, exit.Code), confined: r.filters != nil && !c.runsNothing() && !c.Hooks}
	}
	return nil
}

// leave is how long a git that writes may go on after its context has ended: half a change
// helps nobody. After Ctrl-C this program promises to end within two seconds, and hooks may
// be slow.
const leave = 700 * time.Millisecond

// unhurried returns a context that ends a while after ctx does, and a function that releases it.
func unhurried(ctx context.Context) (context.Context, func()) {
	later, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(leave, func() { cancel(context.Cause(ctx)) })
	})
	return later, func() {
		stop()
		cancel(nil)
	}
}

// Bytes runs a query and returns its standard output.
func (r *Repo) Bytes(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := r.Run(ctx, Command{Args: args, Stdout: &out})
	return out.Bytes(), err
}

// Output runs a query and returns its standard output without the final newline.
func (r *Repo) Output(ctx context.Context, args ...string) (string, error) {
	out, err := r.Bytes(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}
