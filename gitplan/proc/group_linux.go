package proc

import "syscall"

// ownGroup starts a process group and lets the kernel end the program when
// this process dies, however it dies.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
