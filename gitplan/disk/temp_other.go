//go:build !unix || solaris || aix

package disk

import "os"

// canHold is false: without flock it is unknown which folders are still needed, so nothing is swept.
const canHold = false

const withoutWaiting = 0

func lockFile(*os.File) bool { return false }

func onlyOurs(os.FileInfo) bool { return false }
