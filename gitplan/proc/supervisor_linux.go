package proc

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor is the name under which this program is started a second time, to start another
// program and to end all that comes of it: it adopts every descendant whose parent ends
// (PR_SET_CHILD_SUBREAPER), whatever groups, sessions and environments they make for themselves.
const supervisor = "git-plan-supervisor"

// The files of a supervisor after the first three.
const (
	lifeline = 3 // a socket: the supervisor writes why the program was not started, and ends all when it closes
	extraFD  = 4 // the Landlock ruleset or bwrap's filter of calls
)

// How a supervisor starts its program.
const (
	ownGroupOnly = "group"      // in its own process group
	restricted   = "restricted" // in its own session, without a terminal, under a Landlock ruleset
	wrapped      = "wrapped"    // in its own session; the program is bwrap
)

// supervised is a program under a supervisor.
type supervised struct {
	cmd   *exec.Cmd
	line  int  // our end of the lifeline
	ended bool // the supervisor was asked to end all
}

// supervise starts cmd under a supervisor, and does not wait for its first word, since an unconfined
// program may stop it before that. extra is nil or the supervisor's extraFD.
func supervise(cmd *exec.Cmd, how string, extra *os.File) (processTree, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "lifeline")
	cmd.Args = append([]string{supervisor, how, cmd.Path}, cmd.Args...)
	cmd.Path, cmd.SysProcAttr = "/proc/self/exe", ownGroup() // this program, even if its file was replaced
	cmd.ExtraFiles = []*os.File{theirs}
	if extra != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, extra)
	}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	return &supervised{cmd: cmd, line: pair[0]}, nil
}

func (s *supervised) interrupt() bool { return s.cmd.Process.Signal(syscall.SIGINT) == nil }
func (s *supervised) terminate()      { _ = s.cmd.Process.Signal(syscall.SIGTERM) }

// kill has the supervisor, which a program may have stopped, kill everything; a second time, it kills the supervisor.
func (s *supervised) kill() {
	if s.ended {
		_ = s.cmd.Process.Kill()
		return
	}
	s.ended = true
	_ = unix.Shutdown(s.line, unix.SHUT_WR)
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
}

// finish searches for leftover processes if the supervisor was killed, as an unconfined program can do.
func (s *supervised) finish(mark string) error {
	defer unix.Close(s.line)
	if state := s.cmd.ProcessState; state == nil || !state.Exited() {
		Sweep(mark)
	}
	why := make([]byte, 4<<10)
	if n, _, err := unix.Recvfrom(s.line, why, unix.MSG_DONTWAIT); err == nil && n > 0 {
		return errors.New(strings.ToValidUTF8(string(why[:n]), "?"))
	}
	return nil
}

// init takes over if this program was started as a supervisor: before anything else begins, on the main thread.
func init() {
	if len(os.Args) > 3 && os.Args[0] == supervisor {
		syscall.Exit(supervisorMain(os.Args[1], os.Args[2], os.Args[3:])) // os.Exit waits a second under the race detector
	}
}

// supervisorMain starts a program, passes signals on to it, and returns its exit code when nothing
// of it is left. If our parent dies, or closes its end of the lifeline, the program is killed.
func supervisorMain(how, path string, args []string) int {
	closeOnExec(lifeline)
	line := os.NewFile(lifeline, "lifeline")
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		_, _ = line.WriteString("it cannot be supervised: " + err.Error())
		return 1
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	child, status, err := startSupervised(how, path, args)
	if err != nil {
		_, _ = line.WriteString(err.Error())
		return 1
	}
	ended, closed := make(chan int, 1), make(chan struct{})
	go func() { ended <- reapUntil(child) }()
	go func() {
		_, _ = line.Read(make([]byte, 1)) // which ends when it is closed: nothing is ever written to us
		close(closed)
	}()
	for {
		select {
		case s := <-signals:
			pass(s.(syscall.Signal), how, child)
		case code := <-ended:
			return atEnd(code, status, line)
		case <-closed:
			killChildren()
			select {
			case code := <-ended:
				return atEnd(code, status, line)
			case <-time.After(Grace): // on a busy machine it dies later, or it cannot be killed
				endAll()
				return 128 + int(syscall.SIGKILL)
			}
		}
	}
}

// pass sends a signal to the program's group; in bwrap to all processes inside except the first, which is bwrap's own.
func pass(s syscall.Signal, how string, child int) {
	if how != wrapped {
		_ = syscall.Kill(-child, s)
		return
	}
	inside := []int{}
	for _, first := range childrenOf(child) {
		inside = append(inside, childrenOf(first)...)
	}
	if len(inside) == 0 { // the program has not begun
		killChildren()
	}
	for ; len(inside) > 0; inside = inside[1:] {
		_ = syscall.Kill(inside[0], s)
		inside = append(inside, childrenOf(inside[0])...)
	}
}

// atEnd ends leftover processes, and writes to the lifeline if bwrap, which then exits with 1, started no program.
func atEnd(code int, status *os.File, line *os.File) int {
	if !endAll() {
		_, _ = line.WriteString("what it started cannot be ended")
		_ = unix.Kill(os.Getpid(), unix.SIGKILL) // so that the search for its mark begins
	}
	if status == nil || code != 1 {
		return code
	}
	_ = status.SetReadDeadline(time.Now().Add(Grace))
	switch printed, _ := io.ReadAll(status); {
	case len(printed) == 0:
		_, _ = line.WriteString("bwrap exits with 1")
	case !strings.Contains(string(printed), `"exit-code"`):
		_, _ = line.WriteString(errSetUp.Error())
	}
	return code
}

// closeOnExec keeps all files from a number on from being inherited: an open folder leads out of any mounts.
func closeOnExec(from int) {
	if unix.CloseRange(uint(from), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	open, _ := os.ReadDir("/proc/self/fd") // before Linux 5.11
	for _, file := range open {
		if fd, err := strconv.Atoi(file.Name()); err == nil && fd >= from {
			unix.CloseOnExec(fd)
		}
	}
}

// startSupervised starts the program of a supervisor. status is what bwrap reports, nil of another program.
func startSupervised(how, path string, args []string) (pid int, status *os.File, err error) {
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true}} // nothing can be typed into the person's terminal
	exec := func() {
		if pid, err = syscall.ForkExec(path, args, attr); err != nil {
			err = &os.PathError{Op: "exec", Path: path, Err: err}
		}
	}
	switch how {
	case restricted:
		done := make(chan struct{})
		go func() { // on a thread that ends with it: we hold the main one, and stay free
			defer close(done)
			runtime.LockOSThread()
			if err = restrict(extraFD); err == nil {
				exec()
			}
		}()
		<-done
	case wrapped:
		var theirs *os.File
		if status, theirs, err = os.Pipe(); err != nil {
			return 0, nil, err
		}
		defer theirs.Close()
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSetuid == 0 { // else it could not gain its rights
			scopeSockets()
		}
		attr.Files = append(attr.Files, theirs.Fd(), extraFD)
		exec()
	default:
		attr.Sys = ownGroup()
		exec()
	}
	return pid, status, err
}

// reapUntil reaps whatever dies, until child does; it returns the exit code of that.
func reapUntil(child int) int {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case pid == child && status.Signaled():
			return 128 + int(status.Signal())
		case pid == child:
			return status.ExitStatus()
		case err != nil && err != unix.EINTR:
			return 1 // no child, which cannot happen
		}
	}
}

// endAll kills all descendants, and reports whether none are left but those that we may not kill, such as sudo's.
func endAll() bool {
	for begin := time.Now(); time.Since(begin) < 10*Grace; {
		switch pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); {
		case err != nil && err != unix.EINTR:
			return true
		case pid != 0:
			continue
		}
		if found, could := killChildren(); !could {
			return found // else we cannot see what there is
		}
		time.Sleep(time.Millisecond / 10)
	}
	return false
}

// killChildren kills our children, whose own then become ours; found: there are any; could: we may kill at least one.
func killChildren() (found, could bool) {
	for _, pid := range childrenOf(os.Getpid()) {
		found, could = true, unix.Kill(pid, unix.SIGKILL) == nil || could
	}
	return found, could
}

// start starts a program, confined if c says so; a supervisor ends what comes of it or of a group.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	kind := Unconfined
	if c.Confine != nil {
		kind = c.Confine.By
	}
	switch kind {
	case Unconfined:
		if c.Group {
			return supervise(cmd, ownGroupOnly, nil)
		}
		return singleProcess{cmd}, cmd.Start()
	case Bwrap:
		if err := wrap(cmd, *c.Confine); err != nil {
			return nil, err
		}
		filter, err := callFilter()
		if err != nil {
			return nil, err
		}
		defer filter.Close()
		return supervise(cmd, wrapped, filter)
	case Landlock:
		rules, err := c.Confine.ruleset()
		if err != nil {
			return nil, err
		}
		defer rules.Close()
		return supervise(cmd, restricted, rules)
	}
	return nil, fmt.Errorf("Linux has no sandbox %q", kind)
}

// wrap puts bwrap in front of a program.
func wrap(cmd *exec.Cmd, b Confinement) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	bwrap, err := outside("bwrap")
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("bwrap is not installed; its package is bubblewrap")
	}
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args = bwrap, b.bwrap(bwrap, cmd.Path, cmd.Args[1:])
	return nil
}
