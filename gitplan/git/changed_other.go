//go:build !linux && !darwin && !freebsd && !netbsd

package git

import (
	"io/fs"
	"time"
)

// Changed is when a file was last written: nothing better is known here.
func Changed(info fs.FileInfo) time.Time { return info.ModTime() }
