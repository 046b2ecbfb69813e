//go:build unix && !solaris && !aix

package disk

import (
	"os"
	"syscall"
)

// canLock reports that a lock ends with its process, and that the owner of a file is known.
const canLock = true

// openNonblocking keeps an open from blocking if a pipe is in the place of the file.
const openNonblocking = syscall.O_NONBLOCK

// lockFile locks an open folder until it is closed, and reports whether it could.
func lockFile(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// isPrivateFolder reports whether a file is a folder that only this user can enter.
func isPrivateFolder(info os.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && info.Mode().Perm()&0o077 == 0 && int(sys.Uid) == os.Geteuid()
}
