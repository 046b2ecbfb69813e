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
