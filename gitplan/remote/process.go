package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// How long a launcher may go on: after its worker was told to stop, which it sees by the end of its
// input, and after its session is over.
const (
	stopping = 1200 * time.Millisecond
	ending   = 5 * time.Second
)

// process is the command of a launcher at work.
type process struct {
	in   *os.File       // what it reads
	out  *io.PipeReader // what it writes
	said *proc.Tail     // to standard error

	kill  context.CancelFunc
	over  chan struct{} // closed when it has ended
	exit  proc.Exit
	err   error
	close sync.Once
}

// start starts the command in a folder. The launcher gets no key, nor any other secret: secrets are
// the names of variables that hold some.
func (l Launcher) start(dir string, secrets []string, session string) *process {
	in, ours, err := os.Pipe() // a pipe of the system's, which ends with its reader
	theirs, out := io.Pipe()
	ctx, kill := context.WithCancel(context.Background())
	p := &process{in: ours, out: theirs, said: &proc.Tail{}, kill: kill, over: make(chan struct{})}
	if err != nil {
		p.err = err
		_ = out.CloseWithError(err)
		close(p.over)
		return p
	}
	name, args := proc.Shell(l.Command)
	env := append(proc.Launcher(secrets), proc.Mark(session))
	go func() {
		defer in.Close()
		p.exit, p.err = proc.Run(ctx, proc.Cmd{OnStart: func(int) { _ = in.Close() },
			Name: name, Args: args, Dir: dir, Env: env, Stdin: in, Stdout: out, Stderr: p.said, Group: true})
		_ = out.Close()
		close(p.over)
	}()
	return p
}

// stop tells the worker to end, by the end of its input; what it sends until then can be read.
func (p *process) stop() {
	p.close.Do(func() {
		_ = p.in.Close()
		time.AfterFunc(stopping, p.kill)
	})
}

// end returns when nothing of the command is left.
func (p *process) end(patience time.Duration) {
	_ = p.in.Close()
	_ = p.out.CloseWithError(io.ErrClosedPipe)
	select {
	case <-p.over:
	case <-time.After(patience):
	}
	p.kill()
	<-p.over
}

// why says how the command ended, with the end of what it printed.
func (p *process) why() string {
	var text string
	switch {
	case p.exit.OverLimit > 0:
		text = "it " + p.exit.TooMuch()
	case p.err != nil && !errors.Is(p.err, context.Canceled):
		text = p.err.Error()
	case p.err != nil:
		text = "it was ended"
	default:
		text = fmt.Sprintf("its command exited with %d", p.exit.Code)
	}
	if said := visible.Reason(p.said.String()); said != "" {
		text += ": " + agent.OneLine(agent.Mask(said, ""), 300)
	}
	return text
}
