package proc

import (
	"errors"
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

// supervisor is the name under which this program is started a second time, to start another program and to end all
// of its descendants: it adopts each one whose parent ends (PR_SET_CHILD_SUBREAPER), in any group, session or environment.
const supervisor = "git-plan-supervisor"

// File descriptors of a supervisor.
const (
	lifeline = 3 // the socket for an error at the start; when it closes, the supervisor kills everything
	extraFD  = 4 // the Landlock ruleset, or the filter of system calls for bwrap
)

// Modes of a supervisor.
const (
	ownGroupOnly = "group"      // a process group of the program's own
	restricted   = "restricted" // a session without a terminal, under a Landlock ruleset
	wrapped      = "wrapped"    // a session without a terminal; the program is bwrap
)

// supervised is a program under a supervisor.
type supervised struct {
	cmd      *exec.Cmd
	lifeline int  // our end of the lifeline
	killed   bool // kill was called
}

// supervise starts cmd under a supervisor. It does not wait for an answer, since an unconfined program may stop the
// supervisor before that. extra, if not nil, becomes extraFD.
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
	return &supervised{cmd: cmd, lifeline: pair[0]}, nil
}

func (s *supervised) interrupt() bool { return s.cmd.Process.Signal(syscall.SIGINT) == nil }
func (s *supervised) terminate()      { _ = s.cmd.Process.Signal(syscall.SIGTERM) }

// kill makes the supervisor, which a program may have stopped, kill everything. The second call kills the supervisor.
func (s *supervised) kill() {
	if s.killed {
		_ = s.cmd.Process.Kill()
		return
	}
	s.killed = true
	_ = unix.Shutdown(s.lifeline, unix.SHUT_WR)
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
}

// finish ends leftover processes by their mark if the supervisor was killed, as an unconfined program can do.
func (s *supervised) finish(mark string) error {
	defer unix.Close(s.lifeline)
	if state := s.cmd.ProcessState; state == nil || !state.Exited() {
		Sweep(mark)
	}
	why := make([]byte, 4<<10)
	if n, _, err := unix.Recvfrom(s.lifeline, why, unix.MSG_DONTWAIT); err == nil && n > 0 {
		return errors.New(strings.ToValidUTF8(string(why[:n]), "?"))
	}
	return nil
}

// init runs the supervisor if this program was started as one, on the main thread and before anything else begins.
func init() {
	if len(os.Args) > 3 && os.Args[0] == supervisor {
		// os.Exit waits a second under the race detector.
		syscall.Exit(supervisorMain(os.Args[1], os.Args[2], os.Args[3:]))
	}
}

// supervisorMain starts a program, passes signals on to it, and returns its exit code when all of its descendants have
// ended. If the parent dies, or closes its end of the lifeline, they are killed.
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
		_, _ = line.Read(make([]byte, 1)) // the parent writes nothing, so this returns when it closes its end
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
			case <-time.After(Grace): // the machine is busy, or the program cannot be killed
				endAll()
				return 128 + int(syscall.SIGKILL)
			}
		}
	}
}

// pass sends a signal to the program's group; under bwrap to all processes in the sandbox except bwrap's own.
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
		_ = unix.Kill(os.Getpid(), unix.SIGKILL) // then finish searches for processes with the mark
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

// closeOnExec keeps descriptors at and above from from being inherited: an open folder leads out of any mounts.
func closeOnExec(from int) {
	if unix.CloseRange(uint(from), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	open, _ := os.ReadDir("/proc/self/fd") // Linux before 5.11 has no such flag
	for _, file := range open {
		if fd, err := strconv.Atoi(file.Name()); err == nil && fd >= from {
			unix.CloseOnExec(fd)
		}
	}
}

// startSupervised starts the program of a supervisor. status has the reports of bwrap; it is nil in the other modes.
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
		go func() { // the restricted thread ends with this goroutine; the main thread stays unrestricted
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
		// scopeSockets would keep a set-uid bwrap from gaining its rights.
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSetuid == 0 {
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

// reapUntil reaps children until child has ended, and returns its exit code.
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
			return 1 // there is no child: impossible
		}
	}
}

// endAll kills all descendants, and reports whether none are left except those of another user, such as sudo's.
func endAll() bool {
	for begin := time.Now(); time.Since(begin) < 10*Grace; {
		switch pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); {
		case err != nil && err != unix.EINTR:
			return true
		case pid != 0:
			continue
		}
		if found, could := killChildren(); !could {
			return found // if none was found, /proc does not show them
		}
		time.Sleep(time.Millisecond / 10)
	}
	return false
}

// killChildren kills the children of this process, and so adopts theirs. found: there are any; could: one was killed.
func killChildren() (found, could bool) {
	for _, pid := range childrenOf(os.Getpid()) {
		found, could = true, unix.Kill(pid, unix.SIGKILL) == nil || could
	}
	return found, could
}
