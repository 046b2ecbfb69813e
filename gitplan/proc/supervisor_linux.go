package proc

import (
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-plan/git-plan/gitplan/confine"
)

// What a supervisor's program is besides its child.
const (
	ownGroupOnly = "group"   // in its own process group
	ownSession   = "session" // in its own session, without a terminal
	restricted   = "rules"   // as ownSession, and restricted by a Landlock ruleset
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
// git plan was given by whoever started it. An open folder leads out of any mounts.
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
	if own != ownGroupOnly {
		attr.Sys = &syscall.SysProcAttr{Setsid: true}
	}
	begun := func() error {
		pid, err = syscall.ForkExec(path, args, attr)
		if err != nil {
			return &os.PathError{Op: "exec", Path: path, Err: err}
		}
		return nil
	}
	if own != restricted {
		err = begun()
		return pid, err
	}
	failed := make(chan error)
	onItsOwnThread(func() {
		err := confine.Restrict(rulesFD)
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
