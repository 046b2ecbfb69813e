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

// Run runs c to its end. The error says that it could not be started, or is
// the cause of the context's end; how a started program ended is only in Exit.
func Run(ctx context.Context, c Cmd) (Exit, error) {
	exit, err := runOnce(ctx, c)
	if errors.Is(err, errSetUp) && rewound(c.Stdin) {
		return runOnce(ctx, c)
	}
	return exit, err
}

// errSetUp says that bwrap ended before it started the program: a file that it is given may be gone, as a socket is.
var errSetUp = errors.New("bwrap could not set up the sandbox")

// rewound brings an input back to its start, and reports whether it could; of a file nothing was read yet.
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
	cmd.WaitDelay = drain // for its input; outputs are ours
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m := &monitor{limit: c.MaxOutput, end: stop}
	if c.Group {
		m.limit = cmp.Or(m.limit, defaultMaxOutput)
	}
	m.left.Store(m.limit)
	out, err := outputs(cmd, c, m)
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
	if m.left.Load() < 0 { // even if it had ended by itself, not all of it was read
		exit.Code = 128 + int(syscall.SIGKILL)
		if c.Stderr != nil {
			fmt.Fprintf(c.Stderr, "\nit wrote more than %d MiB and was ended\n", m.limit>>20)
		}
	}
	exit.Duration = time.Since(begin)
	trace(c, exit)
	return exit, err
}

// notStarted returns how a program ended that was never started, and why.
func notStarted(c Cmd, why error) (Exit, error) {
	if _, gone := os.Stat(c.Dir); c.Dir != "" && gone != nil {
		why = gone // otherwise the program would seem to be missing
	}
	return Exit{Code: -1}, fmt.Errorf("cannot start %s: %w", c.Name, why)
}

// sandboxFailed returns a fault with the first line of a bwrap that did not start the program; otherwise why.
func sandboxFailed(c Cmd, why error, out []*output) error {
	if c.Confine == nil || c.Confine.By != Bwrap {
		return why
	}
	if why.Error() == errSetUp.Error() {
		why = errSetUp
	}
	printed, text := "", why.Error()
	for _, o := range out {
		printed += string(o.begin.Text)
	}
	if line := visible.FirstLine(printed); line != "" {
		text += ": " + line
	}
	return &fault.Fault{Kind: fault.ErrSandbox, Cause: why, Text: text}
}

// command returns what os/exec needs to know of c.
func command(c Cmd) *exec.Cmd {
	cmd := &exec.Cmd{Args: append([]string{c.Name}, c.Args...)}
	if c.Outside {
		cmd.Path, cmd.Err = outside(c.Name)
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

// wait waits for the end that done reports, or ends the program, and says why: in exit, or by the context's cause.
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
		end(c, tree, done, err)
		if exit.TimedOut = err == errTimedOut; exit.TimedOut || err == errOverLimit {
			err = nil
		}
	}
	return exit, err
}

// end ends a program: asked first, unless it wrote too much, and then by force. Some agents end what they started, and
// report what they used, only when they are interrupted as by Ctrl-C (measured).
func end(c Cmd, tree processTree, done <-chan error, why error) {
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

// HasParent reports, once, whether RunGracefully started this process: its standard input closes when that ends.
func HasParent() bool {
	defer os.Unsetenv(envParent)
	return os.Getenv(envParent) != ""
}

// Pipe starts a program that this process talks to over its standard input and output, and that ends
// when its input is closed. wait returns when it has ended. The error says that it could not be started.
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

// RunGracefully runs a git plan, which must keep what its sessions did before it ends: when the context
// ends, it is asked to end, and waited for however long that takes. It also ends if this process is killed.
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

// Clock calls a function after a time that counts only while this process runs. While it is stopped, as by Ctrl-Z,
// what others write waits to be read: a timer would fire before that.
type Clock struct {
	fire  func()
	tick  time.Duration
	timer *time.Timer

	mu   sync.Mutex
	left time.Duration // 0 if it is stopped
	due  time.Time     // of the next tick
}

// stopped is how late a tick is, at least, before which this process did not run.
const stopped = time.Second

// NewClock returns a clock that has begun; it never ends if d is 0.
func NewClock(d time.Duration, fire func()) *Clock {
	c := &Clock{fire: fire}
	c.timer = time.AfterFunc(time.Hour, c.count)
	c.Reset(d)
	return c
}

// Reset begins the time again.
func (c *Clock) Reset(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick = min(max(d/20, time.Millisecond), time.Second)
	c.set(d)
}

// Add makes the time longer, unless it has ended.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		c.left += d
	}
}

// Stop ends the time until the next Reset.
func (c *Clock) Stop() { c.Reset(0) }

func (c *Clock) set(left time.Duration) {
	c.timer.Stop()
	if c.left = left; left > 0 {
		c.due = time.Now().Add(c.tick)
		c.timer.Reset(c.tick)
	}
}

func (c *Clock) count() {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.left
	if left <= 0 {
		return
	}
	if time.Since(c.due) < stopped {
		left -= c.tick
	}
	if c.set(left); left <= 0 {
		go c.fire()
	}
}
