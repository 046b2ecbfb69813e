package proc

import (
	"errors"
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

// supervisor is the name under which this very program is started a second time, to start
// another program and to end everything that comes of it: it adopts every descendant whose
// parent ends (PR_SET_CHILD_SUBREAPER), so that none can leave, whatever groups,
// sessions and environments they make for themselves. It has no other children, so
// everything it ends came of that program.
const supervisor = "git-plan-supervisor"

// The files that a supervisor is given after the first three.
const (
	lifeline = 3 // a socket: the supervisor writes why the program was not started, and ends all when it closes
	rulesFD  = 4 // a Landlock ruleset, for a program that is restricted
)

// supervised is a program under a supervisor.
type supervised struct {
	cmd   *exec.Cmd
	line  int  // our end of the lifeline
	ended bool // the supervisor was asked to end all
}

// supervise starts cmd under a supervisor. own says what the program is besides its child, and
// files are what the supervisor needs for that. It waits for no answer: a program that runs
// unconfined may stop its supervisor before that has said a word.
func supervise(cmd *exec.Cmd, own string, files ...*os.File) (processTree, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "lifeline")
	cmd.Args = append([]string{supervisor, own, cmd.Path}, cmd.Args...)
	cmd.Path, cmd.SysProcAttr = "/proc/self/exe", ownGroup() // this program, even if its file was replaced
	cmd.ExtraFiles = append([]*os.File{theirs}, files...)
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	return &supervised{cmd: cmd, line: pair[0]}, nil
}

func (s *supervised) interrupt() bool { return s.cmd.Process.Signal(syscall.SIGINT) == nil }

func (s *supervised) terminate() { terminate(s.cmd.Process) }

// kill has the supervisor kill everything, and wakes it, as an unconfined program may have
// stopped it. Called a second time, it kills the supervisor.
func (s *supervised) kill() {
	if s.ended {
		_ = s.cmd.Process.Kill()
		return
	}
	s.ended = true
	_ = unix.Shutdown(s.line, unix.SHUT_WR)
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
}

// finish looks for what is left if the supervisor did not end by itself: an unconfined
// program may have killed it.
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

// What a supervisor's program is besides its child.
const (
	ownGroupOnly = "group" // in its own process group
	restricted   = "rules" // in its own session, without a terminal, and restricted by a Landlock ruleset
)

// init takes over if this program was started as a supervisor, before anything
// else of it begins: that takes less time than a shell (measured), and works in
// whatever program this package is linked into.
func init() {
	if len(os.Args) > 3 && os.Args[0] == supervisor {
		syscall.Exit(supervisorMain(os.Args[1], os.Args[2], os.Args[3:])) // os.Exit waits a second under the race detector
	}
}

// supervisorMain starts a program, passes signals on to its group, and returns its
// exit code when nothing of it is left. If our parent dies, or closes its end
// of the lifeline, the program is killed.
func supervisorMain(own, path string, args []string) int {
	closeOnExec(lifeline)
	line := os.NewFile(lifeline, "lifeline")
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		_, _ = line.WriteString("it cannot be supervised: " + err.Error())
		return 1
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	child, err := startSupervised(own, path, args)
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
			_ = syscall.Kill(-child, s.(syscall.Signal))
		case code := <-ended:
			endAll()
			return code
		case <-closed:
			killChildren()
			select {
			case code := <-ended:
				endAll()
				return code
			case <-time.After(Grace):
				return 128 + int(syscall.SIGKILL) // it cannot be killed
			}
		}
	}
}

// closeOnExec keeps all files from a number on from being passed on: our own, and those that
// git plan was given by the process that started it. An open folder leads out of any mounts.
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

// startSupervised starts the program of a supervisor, from a thread that restricts
// itself if there is a ruleset.
func startSupervised(own, path string, args []string) (pid int, err error) {
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: ownGroup()}
	begun := func() error {
		pid, err = syscall.ForkExec(path, args, attr)
		if err != nil {
			return &os.PathError{Op: "exec", Path: path, Err: err}
		}
		return nil
	}
	if own == ownGroupOnly {
		err = begun()
		return pid, err
	}
	attr.Sys = ownSession()
	failed := make(chan error)
	onItsOwnThread(func() {
		err := Restrict(rulesFD)
		if err == nil {
			err = begun()
		}
		failed <- err
	})
	err = <-failed
	return pid, err
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
			return 1 // there is no child, which cannot be
		}
	}
}

// endAll kills what is left below us, and what that starts meanwhile, until nothing is
// left, or only processes that we may not, or cannot, kill.
func endAll() {
	for begin := time.Now(); time.Since(begin) < 10*Grace; {
		switch pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); {
		case err != nil && err != unix.EINTR:
			return // nothing is left
		case pid != 0:
			continue
		case !killChildren():
			return
		}
		time.Sleep(time.Millisecond / 10)
	}
}

// killChildren kills our children, whose own children then become ours, and reports whether
// we may kill at least one.
func killChildren() (could bool) {
	for _, pid := range childrenOf(os.Getpid()) {
		could = unix.Kill(pid, unix.SIGKILL) == nil || could
	}
	return could
}

// onItsOwnThread runs f on a thread that ends with it. The main thread cannot
// end: if we are on it, we hold it until another one has run f.
func onItsOwnThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return // locked, so the thread ends
		}
		defer runtime.UnlockOSThread()
		done := make(chan struct{})
		onItsOwnThread(func() { defer close(done); f() })
		<-done
	}()
}
