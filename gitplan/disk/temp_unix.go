//go:build unix && !solaris && !aix

package disk

import (
	"os"
	"syscall"
)

// canHold says that a lock ends with the process that holds it, and that a file's owner is known.
const canHold = true

// withoutWaiting also opens a pipe in the place of a file.
const withoutWaiting = syscall.O_NONBLOCK

// lockFile takes the lock of an open folder until it is closed, and reports whether it was free.
func lockFile(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// onlyOurs reports whether something is a folder that only this user can enter.
func onlyOurs(info os.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && info.Mode().Perm()&0o077 == 0 && int(sys.Uid) == os.Geteuid()
}
