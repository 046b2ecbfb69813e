package git

import (
	"io/fs"
	"syscall"
	"time"
)

// Changed returns when a file was last changed in any way: the kernel records that, and no program can set it back.
func Changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))
	}
	return info.ModTime()
}
