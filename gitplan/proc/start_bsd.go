//go:build unix && !linux

package proc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// start starts a program, in a process group if its children are to end with it.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	if err := confineBy(c.Confine, cmd); err != nil {
		return nil, err
	}
	confined := c.Confine != nil && c.Confine.By != Unconfined // leads a session, and so a group
	if err := cmd.Start(); err != nil || !c.Group && !confined {
		return singleProcess{cmd}, err
	}
	return processGroup{cmd.Process.Pid, watch(cmd.Process.Pid)}, nil
}

// processGroup is a process group by its number.
type processGroup struct {
	id      int
	unwatch func()
}

func (g processGroup) interrupt() bool { return syscall.Kill(-g.id, syscall.SIGINT) == nil }

func (g processGroup) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }

func (g processGroup) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

func (g processGroup) finish(mark string) error {
	Sweep(mark)
	g.unwatch()
	return nil
}

// watch makes a process group die with this process: a shell waits for the end of a pipe that only we hold
// open, and then kills the group. end ends the watch.
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
