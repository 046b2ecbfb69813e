package proc

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const getTermios, setTermios, setTermiosFlushing = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF

// start starts a program, confined if c says so, in a process group if its children are to end with it.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	confined := c.Confine != nil && c.Confine.By != Unconfined
	if confined {
		if err := wrap(cmd, *c.Confine); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil || !c.Group && !confined { // a confined one leads a session, and so a group
		return singleProcess{cmd}, err
	}
	return processGroup{cmd.Process.Pid, watch(cmd.Process.Pid)}, nil
}

// wrap puts sandbox-exec in front of a program.
func wrap(cmd *exec.Cmd, b Confinement) error {
	switch {
	case b.By != Seatbelt:
		return fmt.Errorf("macOS has no sandbox %q", b.By)
	case cmd.Err != nil:
		return cmd.Err
	}
	cmd.Args = append(append(seatbelt(b.resolve()), cmd.Path), cmd.Args[1:]...)
	cmd.Path, cmd.SysProcAttr = SandboxExec, &syscall.SysProcAttr{Setsid: true}
	return nil
}

// processGroup is a process group by its number.
type processGroup struct {
	id      int
	unwatch func()
}

func (g processGroup) interrupt() bool { return syscall.Kill(-g.id, syscall.SIGINT) == nil }
func (g processGroup) terminate()      { _ = syscall.Kill(-g.id, syscall.SIGTERM) }
func (g processGroup) kill()           { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

func (g processGroup) finish(mark string) error {
	Sweep(mark)
	g.unwatch()
	return nil
}

// watch makes a process group die with this process: a shell waits for the end of a pipe that only we hold open.
func watch(group int) (end func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	killer := exec.Command("sh", "-c", "read -r end; kill -KILL -"+strconv.Itoa(group))
	killer.Stdin, killer.SysProcAttr = r, ownGroup()
	err = killer.Start()
	r.Close()
	return func() {
		if err == nil {
			_ = killer.Process.Kill()
			_ = killer.Wait()
		}
		w.Close()
	}
}

// StartTime returns when a process started, in the system's own form; "" if the process does not exist.
func StartTime(pid int) string {
	out, _ := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(out))
}

// Born returns "": only on Linux this program asks when a file was created.
func Born(string) string { return "" }

// Changed returns when a file or its attributes last changed: the kernel records that, and no program can set it back.
func Changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctimespec.Sec, st.Ctimespec.Nsec)
	}
	return info.ModTime()
}

// processes returns the numbers of this user's processes.
func processes() (pids []int) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	for _, p := range all {
		pids = append(pids, int(p.Proc.P_pid))
	}
	return pids
}

// environ returns the initial environment of a process, each variable ended by a NUL; empty for other users'.
func environ(pid int) (env []byte, known bool) {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, true
	}
	return environmentAfterArguments(args), true
}
