//go:build unix

package proc

import "golang.org/x/sys/unix"

// Foreground reports whether this process may use the terminal now, and not
// the shell that it was put into the background of.
func Foreground(terminal int) bool {
	group, err := unix.IoctlGetInt(terminal, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
