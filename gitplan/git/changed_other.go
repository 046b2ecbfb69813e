//go:build !linux && !darwin && !freebsd && !netbsd

package git

import (
	"io/fs"
	"time"
)

func changeTime(fs.FileInfo) (at time.Time, ok bool) { return at, false }
