//go:build unix

package git

import (
	"io/fs"
	"syscall"
)

// mayHoldFolders is false where a folder's link count says that it has no
// folders in it: itself and its name in the one above make two. File systems
// that do not count so say one.
func mayHoldFolders(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Nlink != 2
}

// number returns what a file system knows a file by.
func number(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
