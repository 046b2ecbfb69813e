package remote

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Launcher is a command that connects its standard input and output with a worker.
type Launcher struct {
	Name    string
	Command string   // the command line for the shell
	Pass    []string // the names of variables whose values the worker gets
}

// Of returns the launcher that starts the sessions of a role; nil if they run here.
func Of(c *settings.Config, role agent.Role) (*Launcher, error) {
	name, err := c.Launcher(role)
	if err != nil || name == "" {
		return nil, err
	}
	key := "planLauncher." + name
	l := &Launcher{Name: name, Pass: c.List(key + ".passEnv")}
	if l.Command, _ = c.Get(key + ".command"); l.Command == "" {
		return nil, c.Wrong(key+".command", "COMMAND", "there is no launcher %s: %s.command is not set", name, key)
	}
	return l, nil
}

// Settings returns the settings of an agent, keys and values in turn, that apply on the worker, too, as by git -c: not
// those that name programs of this machine or confine sessions.
func Settings(c *settings.Config, a agent.Agent) (out []string) {
	keys := []string{"plan.waitOnLimit", "plan.checkTimeout", "plan.passEnv", "user.name", "user.email"}
	prefix := "planagent." + strings.ToLower(a.Name()) + "."
	for _, key := range c.Git.AllKeys() {
		if lower := strings.ToLower(key); strings.HasPrefix(lower, prefix) && lower != prefix+"program" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if v, ok := c.Get(key); ok {
			out = append(out, key, v)
		}
	}
	return out
}

// process is the command of a launcher at work.
type process struct {
	in     *os.File       // its standard input
	out    *io.PipeReader // its standard output
	stderr *proc.Tail

	kill context.CancelFunc
	over chan struct{} // closed when it has ended
	exit proc.Exit
	err  error
}

// start starts the command, without keys and the variables named as secrets.
func (l Launcher) start(dir string, secrets []string, session string) (*process, error) {
	in, ours, err := os.Pipe() // a pipe of the system's, which ends with its reader
	if err != nil {
		return nil, err
	}
	theirs, out := io.Pipe()
	ctx, kill := context.WithCancel(context.Background())
	p := &process{in: ours, out: theirs, stderr: &proc.Tail{}, kill: kill, over: make(chan struct{})}
	name, args := proc.Shell(l.Command)
	env := append(proc.LauncherEnv(secrets), "PATH="+proc.PathOutside(), proc.Mark(session))
	go func() {
		defer in.Close()
		p.exit, p.err = proc.Run(ctx, proc.Cmd{OnStart: func(int) { _ = in.Close() },
			Name: name, Args: args, Dir: dir, Env: env, Stdin: in, Stdout: out, Stderr: p.stderr, Group: true})
		_ = out.Close()
		close(p.over)
	}()
	return p, nil
}

// stop tells the worker to end, by closing its input; what it sends until then can be read.
func (p *process) stop() {
	const stopping = 1200 * time.Millisecond // the time until it is killed
	_ = p.in.Close()
	time.AfterFunc(stopping, p.kill)
}

// end returns when nothing of the command is left.
func (p *process) end() {
	const ending = 5 * time.Second // the time until it is killed
	_ = p.in.Close()
	_ = p.out.CloseWithError(io.ErrClosedPipe)
	select {
	case <-p.over:
	case <-time.After(ending):
	}
	p.kill()
	<-p.over
}
