//go:build unix && !linux

package proc

import "syscall"

// ownGroup starts a process group. Only Linux can also tie it to our own life.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
