//go:build unix

package proc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// watch lets a process group die with this process, however it dies: a shell
// waits for the end of a pipe that only we hold open, and then kills the group.
// What it returns ends the watch.
func watch(group int) (end func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	guard := exec.Command("sh", "-c", "read -r end; kill -KILL -"+strconv.Itoa(group))
	guard.Stdin, guard.SysProcAttr = r, ownGroup()
	err = guard.Start()
	r.Close()
	return func() {
		if err == nil {
			_ = guard.Process.Kill()
			_ = guard.Wait()
		}
		w.Close()
	}
}

func interrupt(pid int, group bool) {
	if group {
		pid = -pid
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
}

func interruptGroup(pid int) bool { return syscall.Kill(-pid, syscall.SIGINT) == nil }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}
