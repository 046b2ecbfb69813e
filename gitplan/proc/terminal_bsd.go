//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package proc

import "golang.org/x/sys/unix"

const getTermios, setTermios, setTermiosFlushing = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF
