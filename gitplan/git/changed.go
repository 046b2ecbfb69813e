package git

import (
	"io/fs"
	"os"
	"time"
)

// Changed is when a file was last changed in any way, its times included: the kernel
// keeps that, and nobody can set it back. If there is no such time it is that of its
// contents.
func Changed(info fs.FileInfo) time.Time {
	if at, ok := changeTime(info); ok {
		return at
	}
	return info.ModTime()
}

// Unchanged reports that a regular file is as it was at a moment, by the time that the
// kernel keeps. If it was changed just then, or no such time is kept, nobody can say.
func Unchanged(was, is fs.FileInfo, moment time.Time) bool {
	before, ok := changeTime(was)
	now, kept := changeTime(is)
	return ok && kept && is.Mode().IsRegular() && os.SameFile(was, is) && before.Equal(now) && before.Before(moment)
}
