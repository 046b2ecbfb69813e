//go:build aix || linux || solaris

package proc

import "golang.org/x/sys/unix"

const getTermios, setTermiosFlushing = unix.TCGETS, unix.TCSETSF
