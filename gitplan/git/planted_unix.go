//go:build unix

package git

import (
	"io/fs"
	"syscall"
)

// mayHoldFolders returns false if a folder's link count says that it has no folders in it: its
// own "." and its name in the folder above make two. File systems that do not count in this
// way report one.
func mayHoldFolders(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Nlink != 2
}

// number returns the number by which the file system knows a file.
func number(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
