package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Started counts the programs started by this process; tests and benchmarks read it.
var Started atomic.Int64

// Run runs c to its end. The error says that it could not be started, or is
// the cause of the context's end; how a started program ended is only in Exit.
func Run(ctx context.Context, c Cmd) (exit Exit, err error) {
	for try := 1; ; try++ {
		exit, err = runOnce(ctx, c)
		if try == setUps || !errors.Is(err, errSetUp) || !rewound(c.Stdin) {
			return exit, err
		}
	}
}

func runOnce(ctx context.Context, c Cmd) (Exit, error) {
	if err := ctx.Err(); err != nil {
		return Exit{Code: -1}, context.Cause(ctx)
	}
	cmd := command(c)
	life := newIdleTimer(c.Idle)
	cmd.WaitDelay = drain // for its input; outputs are ours
	flood := newOutputLimit(c)
	out, err := outputs(cmd, c, life, flood)
	begin := time.Now()
	var kin processTree
	if err == nil {
		kin, err = start(cmd, c)
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
	if c.Fleeting {
		fleeting.Store(cmd.Process, nil)
		defer fleeting.Delete(cmd.Process)
	}
	for _, o := range out {
		o.begin()
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
	exit, err := wait(ctx, c, kin, life, flood, done)
	why := kin.over(markOf(c.Env))
	said := endPrefaces(out, why == nil)
	if why != nil && err == nil {
		return notStarted(c, neverBegan(why, said))
	}
	exit.Code = exitCode(cmd.ProcessState)
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

// command returns what os/exec needs to know of c.
func command(c Cmd) *exec.Cmd {
	cmd := exec.Command(c.Name, c.Args...)
	if c.Outside {
		cmd.Path, cmd.Err = outside(c.Name)
	}
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	if c.Group || c.OwnProcessGroup {
		cmd.SysProcAttr = ownGroup()
	}
	return cmd
}

// wait waits for the program's end, which done reports, or ends it, and says why in exit. The error
// is that of waiting, or the cause of the context's end.
func wait(ctx context.Context, c Cmd, kin processTree, life *idleTimer, flood *outputLimit, done <-chan error) (exit Exit, err error) {
	var limit <-chan time.Time
	if c.Timeout > 0 {
		t := time.NewTimer(c.Timeout)
		defer t.Stop()
		limit = t.C
	}
	defer life.stop()
	stop := func() {
		if !interrupted(ctx, c, kin, done) {
			end(kin, done)
		}
	}
	select {
	case werr := <-done:
		kin.kill() // what it left running
		var ee *exec.ExitError
		if werr != nil && !errors.As(werr, &ee) && !errors.Is(werr, exec.ErrWaitDelay) && !errors.Is(werr, errOverLimit) {
			err = fmt.Errorf("%s: %w", c.Name, werr)
		}
	case <-limit:
		exit.TimedOut = true
		stop()
	case <-life.fired():
		exit.Idle = true
		stop()
	case <-flood.came:
		killed(kin, done)
	case <-ctx.Done():
		stop()
		err = context.Cause(ctx)
	}
	exit.OverLimit = flood.over()
	return exit, err
}

// interrupted asks a group to stop as Ctrl-C would, and reports whether the
// program did so in the time it is given. Some agents end what they started, and
// report what they used, only then (measured).
func interrupted(ctx context.Context, c Cmd, kin processTree, done <-chan error) bool {
	if c.Interrupt == nil {
		return false
	}
	if asked := c.Ask != nil && c.Ask(); !asked && !kin.interrupt() {
		return false
	}
	select {
	case <-done:
		kin.kill() // what it left running
		return true
	case <-time.After(c.Interrupt(context.Cause(ctx))):
		return false
	}
}

// end asks the program to stop, and kills it if it does not within Grace.
func end(kin processTree, done <-chan error) {
	kin.terminate()
	select {
	case <-done:
		kin.kill() // what it left running
		return
	case <-time.After(Grace):
	}
	killed(kin, done)
}

// killed ends the program at once, and waits for that.
func killed(kin processTree, done <-chan error) {
	kin.kill()
	select {
	case <-done:
	case <-time.After(3 * Grace):
		kin.kill()
		<-done
	}
}

// Pipe starts a program that this process talks to over its standard input and output
// for as long as it likes, and that ends by itself when its input is closed. wait returns
// when it has ended. The error says that it could not be started.
func Pipe(c Cmd) (stdin io.WriteCloser, stdout io.Reader, wait func() error, err error) {
	cmd := command(c)
	cmd.Stderr = c.Stderr
	if stdin, err = cmd.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	if stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, nil, err
	}
	if err = cmd.Start(); err != nil {
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

// FindAll returns every path of a program on PATH, in the order of PATH.
func FindAll(name string) (paths []string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil && dir != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// Shell returns the command line that runs text the way git runs the commands of
// its configuration and this program runs checks: by sh -c.
func Shell(text string) (name string, args []string) { return "sh", []string{"-c", text} }

// trace prints what was run, if GIT_PLAN_TRACE asks for it.
func trace(c Cmd, e Exit) {
	switch strings.ToLower(os.Getenv("GIT_PLAN_TRACE")) {
	case "", "0", "false":
		return
	}
	fmt.Fprintf(os.Stderr, "trace: %6.1fms code %d: %s %s\n",
		float64(e.Duration.Microseconds())/1000, e.Code, c.Name, strings.Join(c.Args, " "))
}

// RunGracefully runs a program that must keep what its sessions did before it ends: when the
// context ends, the program is asked to end, and waited for however long that takes.
func RunGracefully(ctx context.Context, cmd Cmd) (Exit, error) {
	if err := context.Cause(ctx); err != nil {
		return Exit{Code: -1}, err
	}
	over := make(chan struct{})
	defer close(over)
	cmd.OnStart = func(pid int) {
		go func() {
			select {
			case <-ctx.Done():
				_ = Terminate(pid)
			case <-over:
			}
		}()
	}
	return Run(context.WithoutCancel(ctx), cmd)
}

// fleeting are the running programs that nobody needs once this process has ended.
var fleeting sync.Map // *os.Process

// EndFleeting kills the running programs that are Cmd.Fleeting. Call it before an exit
// that waits for nothing.
func EndFleeting() {
	fleeting.Range(func(p, _ any) bool {
		killWithGroup(p.(*os.Process))
		return true
	})
}
