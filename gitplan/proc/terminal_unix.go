//go:build unix

package proc

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// Foreground reports whether this process may use the terminal now; true for anything but a terminal.
func Foreground(terminal int) bool {
	group, err := unix.IoctlGetInt(terminal, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// Discard drops unread input of a terminal, and has it give lines and show them: a program that was killed may have left it
// otherwise.
func Discard(terminal int) {
	if t, err := unix.IoctlGetTermios(terminal, getTermios); err == nil {
		t.Lflag |= unix.ICANON | unix.ECHO
		_ = unix.IoctlSetTermios(terminal, setTermiosFlushing, t)
	}
}

// AwaitTyped waits until a line that was typed can be read, or the context ends.
func AwaitTyped(ctx context.Context, terminal int) bool {
	for !Typed(terminal, 100*time.Millisecond) {
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}

// Typed reports whether a line that was typed can be read now or soon.
func Typed(terminal int, soon time.Duration) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(terminal), Events: unix.POLLIN}}, int(soon.Milliseconds()))
	return err == nil && n > 0
}
