//go:build unix && !linux

package proc

import (
	"os/exec"
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
	return processGroup(cmd.Process.Pid), nil
}

// processGroup is a process group by its number. If this process is killed, the next git plan sweeps it.
type processGroup int

func (g processGroup) interrupt() bool { return syscall.Kill(-int(g), syscall.SIGINT) == nil }

func (g processGroup) terminate() { _ = syscall.Kill(-int(g), syscall.SIGTERM) }

func (g processGroup) kill() { _ = syscall.Kill(-int(g), syscall.SIGKILL) }

func (g processGroup) finish(mark string) error {
	Sweep(mark)
	return nil
}
