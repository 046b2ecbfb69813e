//go:build unix

package proc

import (
	"os"
	"syscall"
)

func interrupt(pid int, group bool) {
	if group {
		pid = -pid
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
}

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
