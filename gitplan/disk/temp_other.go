//go:build !unix || solaris || aix

package disk

import "os"

// canLock is false: without flock it is unknown which folders are in use, so nothing is swept.
const canLock = false

const openNonblocking = 0

func lockFile(*os.File) bool { return false }

func isPrivateFolder(os.FileInfo) bool { return false }
