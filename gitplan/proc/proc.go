package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Started counts the programs started by this process, for tests and benchmarks.
var Started atomic.Int64

// Run runs c to its end, which Exit describes. The error says that it could not start, or is the context's cause.
func Run(ctx context.Context, c Cmd) (Exit, error) {
	exit, err := runOnce(ctx, c)
	if errors.Is(err, errSetUp) && rewound(c.Stdin) {
		return runOnce(ctx, c)
	}
	return exit, err
}

// errSetUp says that bwrap ended before it started the program, as it does if a named socket vanishes meanwhile.
var errSetUp = errors.New("bwrap could not set up the sandbox")

// rewound seeks to the start of an input, and reports whether it could. A file went to the program unread.
func rewound(in io.Reader) bool {
	if _, isFile := in.(*os.File); in == nil || isFile {
		return true
	}
	s, ok := in.(io.Seeker)
	if !ok {
		return false
	}
	_, err := s.Seek(0, io.SeekStart)
	return err == nil
}

func runOnce(ctx context.Context, c Cmd) (Exit, error) {
	if err := ctx.Err(); err != nil {
		return Exit{Code: -1}, context.Cause(ctx)
	}
	cmd := command(c)
	cmd.WaitDelay = drain // only the copy of the input: outputs have pipes of our own
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m := &monitor{limit: c.MaxOutput, end: stop}
	if c.Group {
		m.limit = cmp.Or(m.limit, defaultMaxOutput)
	}
	m.left.Store(m.limit)
	out, err := pipeOutputs(cmd, c, m)
	if !c.Group && !c.OwnProcessGroup {
		defer LendKeyboard()()
	}
	begin := time.Now()
	var tree processTree
	if err == nil {
		tree, err = start(cmd, c)
	}
	if err != nil {
		for _, o := range out {
			o.close()
		}
		return notStarted(c, err)
	}
	Started.Add(1)
	if c.OnStart != nil {
		c.OnStart(cmd.Process.Pid)
	}
	for _, o := range out {
		o.start()
	}
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		until := time.Now().Add(drain)
		for _, o := range out {
			if failed := o.end(until); err == nil {
				err = failed
			}
		}
		done <- err
	}()
	exit, err := wait(ctx, c, tree, m, done)
	if why := tree.finish(Mark(Variable(c.Env, EnvSession))); why != nil && err == nil {
		return notStarted(c, sandboxFailed(c, why, out))
	}
	exit.Code = exitCode(cmd.ProcessState)
	if m.left.Load() < 0 { // even if it ended by itself: its output was not read completely
		exit.Code = 128 + int(syscall.SIGKILL)
		if c.Stderr != nil {
			fmt.Fprintf(c.Stderr, "\nit wrote more than %d MiB and was ended\n", m.limit>>20)
		}
	}
	exit.Duration = time.Since(begin)
	trace(c, exit)
	return exit, err
}

// notStarted returns the results of Run for a program that could not be started.
func notStarted(c Cmd, why error) (Exit, error) {
	if _, gone := os.Stat(c.Dir); c.Dir != "" && gone != nil {
		why = gone // os/exec would report that the program is missing
	}
	return Exit{Code: -1}, fmt.Errorf("cannot start %s: %w", c.Name, why)
}

// sandboxFailed returns why a supervisor did not start c; under bwrap a fault with the first line that bwrap printed.
func sandboxFailed(c Cmd, why error, out []*output) error {
	if c.Confine == nil || c.Confine.By != Bwrap {
		return why
	}
	if why.Error() == errSetUp.Error() {
		why = errSetUp
	}
	printed, text := "", why.Error()
	for _, o := range out {
		printed += string(o.head.Text)
	}
	if line := visible.FirstLine(printed); line != "" {
		text += ": " + line
	}
	return &fault.Fault{Kind: fault.ErrSandbox, Cause: why, Text: text}
}

// command returns c for os/exec, without its outputs.
func command(c Cmd) *exec.Cmd {
	cmd := &exec.Cmd{Args: append([]string{c.Name}, c.Args...)}
	if c.Outside {
		cmd.Path, cmd.Err = findOutside(c.Name)
	} else {
		cmd = exec.Command(c.Name, c.Args...)
	}
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	if c.Group || c.OwnProcessGroup {
		cmd.SysProcAttr = ownGroup()
	}
	return cmd
}

// exitCode returns a program's exit code, or 128+n if signal n ended it; -1 if it has not ended.
func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}

// wait waits until done reports the program's end; at a limit, or when the context ends, it ends the program. The error
// is the cause of the context, unless exit.TimedOut or the output's limit explains the end.
func wait(ctx context.Context, c Cmd, tree processTree, m *monitor, done <-chan error) (exit Exit, err error) {
	defer NewClock(c.Timeout, func() { m.end(errTimedOut) }).Stop()
	select {
	case werr := <-done:
		tree.kill() // the processes that it left running
		if werr != nil && !errors.As(werr, new(*exec.ExitError)) && !errors.Is(werr, exec.ErrWaitDelay) &&
			!errors.Is(werr, errOverLimit) {
			err = fmt.Errorf("%s: %w", c.Name, werr)
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
		stopProgram(c, tree, done, err)
		if exit.TimedOut = err == errTimedOut; exit.TimedOut || err == errOverLimit {
			err = nil
		}
	}
	return exit, err
}

// stopProgram stops a program by SIGINT, SIGTERM and SIGKILL, one after the other, but by SIGKILL alone if it wrote too
// much. Some agents stop their children, and report their usage, only on SIGINT (measured).
func stopProgram(c Cmd, tree processTree, done <-chan error, why error) {
	ended := func(within time.Duration) bool {
		select {
		case <-done:
			tree.kill() // the processes that it left running
			return true
		case <-time.After(within):
			return false
		}
	}
	if why != errOverLimit {
		if c.Interrupt != nil && (c.Ask != nil && c.Ask() || tree.interrupt()) && ended(c.Interrupt(why)) {
			return
		}
		if tree.terminate(); ended(Grace) {
			return
		}
	}
	if tree.kill(); !ended(3 * Grace) {
		tree.kill()
		<-done
	}
}

// HasParent reports, once, whether RunGracefully started this process: standard input closes when the parent ends.
func HasParent() bool {
	defer os.Unsetenv(envParent)
	return os.Getenv(envParent) != ""
}

// Pipe starts a program that talks over standard input and output, and ends when its input closes; wait waits for that.
func Pipe(c Cmd) (stdin io.WriteCloser, stdout io.Reader, wait func() error, err error) {
	cmd := command(c)
	cmd.Stderr = c.Stderr
	stdin, err = cmd.StdinPipe()
	stdout, piped := cmd.StdoutPipe()
	if err = errors.Join(err, piped); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("cannot start %s: %w", c.Name, err)
	}
	Started.Add(1)
	trace(c, Exit{})
	return stdin, stdout, cmd.Wait, nil
}

// Find returns the path of a program on PATH, and whether there is one.
func Find(name string) (string, bool) {
	p, err := exec.LookPath(name)
	return p, err == nil
}

// Shell returns the command line that runs text as git runs the commands of its configuration.
func Shell(text string) (name string, args []string) { return "sh", []string{"-c", text} }

// trace prints each command, if GIT_PLAN_TRACE asks for it.
func trace(c Cmd, e Exit) {
	if on := strings.ToLower(os.Getenv("GIT_PLAN_TRACE")); on != "" && on != "0" && on != "false" {
		fmt.Fprintf(os.Stderr, "trace: %6.1fms code %d: %s %s\n",
			float64(e.Duration.Microseconds())/1000, e.Code, c.Name, strings.Join(c.Args, " "))
	}
}

// RunGracefully runs another git plan, which must save the work of its sessions before it ends: when the context ends,
// it gets SIGINT and is waited for without a limit. It also ends if this process is killed.
func RunGracefully(ctx context.Context, cmd Cmd) (Exit, error) {
	if err := context.Cause(ctx); err != nil {
		return Exit{Code: -1}, err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return Exit{Code: -1}, err
	}
	defer ours.Close()
	defer theirs.Close()
	cmd.Stdin, cmd.Env = theirs, append(cmd.Env, envParent+"=1")
	stop := func() bool { return false }
	cmd.OnStart = func(pid int) { stop = context.AfterFunc(ctx, func() { _ = Interrupt(pid) }) }
	exit, err := Run(context.WithoutCancel(ctx), cmd)
	stop()
	return exit, err
}

// Clock calls a function after a time that passes only while this process runs, which Ctrl-Z may stop.
type Clock struct {
	fire  func()
	tick  time.Duration
	timer *time.Timer

	mu   sync.Mutex
	left time.Duration // the remaining time; 0 while the clock is stopped
	due  time.Time     // the time of the next tick
}

// NewClock returns a running clock that calls fire after d; never if d is 0.
func NewClock(d time.Duration, fire func()) *Clock {
	c := &Clock{fire: fire}
	c.timer = time.AfterFunc(time.Hour, c.onTick)
	c.Reset(d)
	return c
}

// Reset restarts the clock with d; 0 stops it.
func (c *Clock) Reset(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick = min(max(d/20, time.Millisecond), time.Second)
	c.set(d)
}

// Add extends the remaining time, unless it is over.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		c.left += d
	}
}

// Stop stops the clock until the next Reset.
func (c *Clock) Stop() { c.Reset(0) }

func (c *Clock) set(left time.Duration) {
	c.timer.Stop()
	if c.left = left; left > 0 {
		c.due = time.Now().Add(c.tick)
		c.timer.Reset(c.tick)
	}
}

func (c *Clock) onTick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.left
	if left <= 0 {
		return
	}
	if time.Since(c.due) < time.Second { // else this process was stopped meanwhile
		left -= c.tick
	}
	if c.set(left); left <= 0 {
		go c.fire()
	}
}
