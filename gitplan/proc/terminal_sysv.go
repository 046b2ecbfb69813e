//go:build aix || linux || solaris

package proc

import "golang.org/x/sys/unix"

const getTermios, setTermios, setTermiosFlushing = unix.TCGETS, unix.TCSETS, unix.TCSETSF
