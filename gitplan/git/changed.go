package git

import (
	"io/fs"
	"os"
	"time"
)

// Changed returns when a file was last changed in any way, its times included. The kernel
// records that, and nobody can set it back. On systems without such a time it returns the
// time of the contents.
func Changed(info fs.FileInfo) time.Time {
	if at, ok := changeTime(info); ok {
		return at
	}
	return info.ModTime()
}

// SameFile reports whether a file is the same one, and nobody has written to it since, by its times
// and its size.
func SameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()) && Changed(was).Equal(Changed(is))
}

// Unchanged reports whether a regular file, was, is still what it was at a moment, by the time
// that the kernel records. It returns false if nobody can know: the file changed at that very
// moment, or the system records no such time.
func Unchanged(was, is fs.FileInfo, moment time.Time) bool {
	before, ok := changeTime(was)
	now, kept := changeTime(is)
	return ok && kept && is.Mode().IsRegular() && os.SameFile(was, is) && before.Equal(now) && before.Before(moment)
}
