//go:build unix

package proc

import (
	"os"
	"syscall"
)

// ownGroup has a program started in its own process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownSession has a program started in its own session: nothing can be typed into the person's terminal.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Interrupt asks a process to end in its own order, as Ctrl-C does.
func Interrupt(pid int) error { return syscall.Kill(pid, syscall.SIGINT) }

func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }

// readNow reads what a pipe holds, and does not wait; 0 if it holds nothing.
func readNow(pipe *os.File, into []byte) (n int) {
	if c, err := pipe.SyscallConn(); err == nil {
		_ = c.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), into)
			return true
		})
	}
	return n
}

// exitCode returns a program's exit code, or 128+n if signal n ended it; -1 if it has not ended.
func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}
