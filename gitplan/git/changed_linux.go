package git

import (
	"io/fs"
	"syscall"
	"time"
)

func changeTime(info fs.FileInfo) (at time.Time, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return at, false
	}
	return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), true
}
