package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// start starts a program, confined if c says so. A supervisor ends everything the program
// starts, unless the program has its own process numbers, with which the kernel does so.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	switch {
	case c.Confine != nil && c.Confine.By != Unconfined:
		return startConfined(cmd, *c.Confine)
	case c.Group:
		return supervise(cmd, ownGroupOnly)
	}
	return singleProcess{cmd}, cmd.Start()
}

// startConfined starts a program without a terminal: nothing can be typed into the person's.
func startConfined(cmd *exec.Cmd, b Bounds) (processTree, error) {
	switch b.By {
	case Bwrap:
		if err := wrap(cmd, b); err != nil {
			return nil, err
		}
		return startWrapped(cmd)
	case Landlock:
		rules, err := b.Ruleset()
		if err != nil {
			return nil, err
		}
		defer rules.Close()
		return supervise(cmd, restricted, rules)
	case Seatbelt:
		return nil, errors.New("only macOS has it")
	}
	return nil, fmt.Errorf("there is no sandbox %q", b.By)
}

// wrap puts bwrap in front of a program.
func wrap(cmd *exec.Cmd, b Bounds) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	bwrap, err := outside("bwrap")
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("bwrap is not installed (its package is bubblewrap)")
	}
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args = bwrap, b.Bwrap(bwrap, cmd.Path, cmd.Args[1:])
	return nil
}

// gainsPrivileges reports whether a program may have more rights than the process that starts it.
func gainsPrivileges(name string) bool {
	path, err := outside(name)
	if err != nil {
		return true
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode()&os.ModeSetuid != 0
}

// wrapped is a program in bwrap. It has its own process numbers, and the kernel ends
// everything with such a number when the first of them ends, so nothing can leave and no
// supervisor is needed (measured: that saves a third of what a check costs).
type wrapped struct {
	cmd    *exec.Cmd
	status *os.File // where bwrap writes, see wrappedStatus
	words  *json.Decoder
	made   bool // there is a first process inside, which sets the sandbox up
	first  int  // the number that we know it by; 0: it had ended by then
	pidfd  int  // of that process
}

// wrappedStatus is what bwrap writes of a program: the number of the first process inside, and
// when all has ended how the program did, but only if it was ever started.
type wrappedStatus struct {
	First int  `json:"child-pid"`
	Exit  *int `json:"exit-code"`
}

// startWrapped starts a program that wrap put bwrap in front of.
func startWrapped(cmd *exec.Cmd) (processTree, error) {
	if fd, err := unix.PidfdOpen(os.Getpid(), 0); err != nil {
		return nil, errors.New("this kernel has no handles of processes; Linux 5.3 and later have")
	} else {
		unix.Close(fd)
	}
	status, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	filter, err := CallFilter()
	if err != nil {
		status.Close()
		theirs.Close()
		return nil, err
	}
	defer filter.Close()
	closeOnExec(3)
	cmd.Args = append([]string{cmd.Args[0], "--die-with-parent", "--json-status-fd", "3", "--seccomp", "4"}, cmd.Args[1:]...)
	cmd.ExtraFiles = []*os.File{theirs, filter}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	onLastingThread(func() { err = cmd.Start() })
	theirs.Close()
	if err != nil {
		status.Close()
		return nil, err
	}
	w := &wrapped{cmd: cmd, status: status, words: json.NewDecoder(status), pidfd: -1}
	var said wrappedStatus
	if w.words.Decode(&said) == nil { // otherwise bwrap says why not, and ends
		w.made = true
		if w.pidfd, err = unix.PidfdOpen(said.First, 0); err == nil {
			w.first = said.First
		}
	}
	return w, nil
}

func (w *wrapped) interrupt() bool { return w.signal(syscall.SIGINT) }

func (w *wrapped) terminate() {
	if !w.signal(syscall.SIGTERM) {
		w.kill()
	}
}

// signal signals all processes inside but the first, which is bwrap's, and reports
// whether there was one.
func (w *wrapped) signal(s syscall.Signal) (could bool) {
	if w.first == 0 {
		return false
	}
	for inside := childrenOf(w.first); len(inside) > 0; inside = inside[1:] {
		could = syscall.Kill(inside[0], s) == nil || could
		inside = append(inside, childrenOf(inside[0])...)
	}
	return could
}

func (w *wrapped) kill() {
	if w.first > 0 {
		_ = unix.PidfdSendSignal(w.pidfd, unix.SIGKILL, nil, 0)
	}
	_ = w.cmd.Process.Kill()
}

// finish waits for the first process inside, which ends after all the others.
func (w *wrapped) finish(string) error {
	defer w.status.Close()
	if w.first > 0 {
		_ = unix.PidfdSendSignal(w.pidfd, unix.SIGKILL, nil, 0)
		for until := time.Now().Add(10 * Grace); time.Now().Before(until); {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(w.pidfd), Events: unix.POLLIN}}, int(Grace.Milliseconds()))
			if n > 0 || err != nil && err != unix.EINTR {
				break
			}
		}
		unix.Close(w.pidfd)
	}
	return w.began()
}

// began returns an error if bwrap itself failed: it exits with 1 then, as programs do. One that
// was killed says nothing.
func (w *wrapped) began() error {
	state := w.cmd.ProcessState
	switch {
	case state == nil || state.ExitCode() != 1:
		return nil
	case !w.made:
		return errNoNamespace
	}
	var said wrappedStatus
	_ = w.status.SetReadDeadline(time.Now().Add(Grace)) // it has ended, and no other process has the pipe
	if w.words.Decode(&said) != nil || said.Exit == nil {
		return errSetUp
	}
	return nil
}

// onLastingThread runs f on a thread that ends with this process and no earlier: a program that
// dies with its parent dies with the thread that started it.
func onLastingThread(f func()) {
	done := make(chan struct{})
	lasting() <- func() { defer close(done); f() }
	<-done
}

// lasting returns the work of that thread, which it starts when first called.
var lasting = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		if !gainsPrivileges("bwrap") { // on such a thread it could not
			ScopeSockets()
		}
		for f := range work {
			f()
		}
	}()
	return work
})
