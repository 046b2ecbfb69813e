package proc

import (
	"os"
	"syscall"
)

// Windows has no process groups that can be ended as one without a job object;
// here only the program itself is ended.

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// watch would let the program die with us; here it stays.
func watch(int) func() { return func() {} }

func interrupt(pid int, _ bool) { killGroup(pid) }

func interruptGroup(int) bool { return false }

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	return s.ExitCode()
}
