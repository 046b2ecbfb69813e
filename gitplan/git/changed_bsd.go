//go:build darwin || freebsd || netbsd

package git

import (
	"io/fs"
	"syscall"
	"time"
)

// Changed is when a file was last changed in any way, its times included: the kernel
// keeps that, and nobody can set it back. Where there is no such time it is that of its
// contents.
func Changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(st.Ctimespec.Sec), int64(st.Ctimespec.Nsec))
	}
	return info.ModTime()
}
