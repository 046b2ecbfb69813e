//go:build !linux && !darwin && !freebsd && !netbsd

package git

import (
	"io/fs"
	"time"
)

// Changed returns when the contents of a file were last changed: no other time is known here.
func Changed(info fs.FileInfo) time.Time { return info.ModTime() }
