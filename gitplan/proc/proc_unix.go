//go:build unix

package proc

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keyboard is the terminal that gives each key when it is pressed, unseen, while it is open; Ctrl-C and Ctrl-Z stay
// signals. While a question or a program reads it, or another process has it, it is as it was, and no key is taken.
var keyboard struct {
	sync.Mutex
	terminal     int
	stops        chan os.Signal // Ctrl-Z; nil unless it is open
	readers      int            // see LendKeyboard
	on           bool
	before, ours unix.Termios
}

// keyPause is how long Key waits.
const keyPause = 100 * time.Millisecond

// OpenKeyboard opens the keyboard of a terminal, and reports whether it could. leave is called before Ctrl-Z gives
// the terminal to the shell, and back after that.
func OpenKeyboard(terminal int, leave func() (back func())) bool {
	stops := make(chan os.Signal, 1)
	keyboard.Lock()
	defer keyboard.Unlock()
	keyboard.terminal, keyboard.stops = terminal, stops
	signal.Notify(stops, syscall.SIGTSTP)
	go func() {
		for range stops {
			stopHere(stops, leave)
		}
	}()
	return true
}

// CloseKeyboard gives the terminal back for good.
func CloseKeyboard() {
	keyboard.Lock()
	defer keyboard.Unlock()
	restoreKeyboard()
	if keyboard.stops != nil {
		signal.Stop(keyboard.stops)
		close(keyboard.stops)
		keyboard.stops = nil
	}
}

// Key returns the key that is pressed, or 0 after a while. A paste, and a key of several bytes, are 0.
func Key() byte {
	if !keysAreOurs() || !Typed(keyboard.terminal, keyPause) {
		time.Sleep(keyPause)
		return 0
	}
	keyboard.Lock()
	defer keyboard.Unlock()
	var typed [64]byte
	if keyboard.on && Foreground(keyboard.terminal) {
		if n, _ := unix.Read(keyboard.terminal, typed[:]); n == 1 { // it does not wait
			return typed[0]
		}
	}
	return 0
}

func keysAreOurs() bool {
	k := &keyboard
	k.Lock()
	defer k.Unlock()
	now, err := unix.IoctlGetTermios(k.terminal, getTermios)
	if err != nil || k.readers > 0 || k.stops == nil || !Foreground(k.terminal) {
		return false
	}
	if !k.on {
		k.before, k.ours = *now, *now
		k.ours.Lflag &^= unix.ICANON | unix.ECHO
		k.ours.Cc[unix.VMIN], k.ours.Cc[unix.VTIME] = 0, 0
		k.on = unix.IoctlSetTermios(k.terminal, setTermiosFlushing, &k.ours) == nil
		return k.on
	}
	return *now == k.ours // else a program that is not ours asks something
}

// restoreKeyboard gives the terminal back as it was, unless it is a shell's again.
func restoreKeyboard() {
	k := &keyboard
	if now, err := unix.IoctlGetTermios(k.terminal, getTermios); k.on && err == nil && *now == k.ours {
		signal.Ignore(syscall.SIGTTOU) // of a shell that is back, and leaves the terminal as it is, such as dash
		_ = unix.IoctlSetTermios(k.terminal, setTermios, &k.before)
		signal.Reset(syscall.SIGTTOU)
	}
	k.on = false
}

// stopHere does what Ctrl-Z does by itself, with the terminal as it was.
func stopHere(stops chan os.Signal, leave func() (back func())) {
	defer leave()()
	defer LendKeyboard()()
	signal.Reset(syscall.SIGTSTP)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP)
	time.Sleep(keyPause) // until it is delivered
	keyboard.Lock()
	defer keyboard.Unlock()
	if keyboard.stops == stops {
		signal.Notify(stops, syscall.SIGTSTP)
	}
}

// LendKeyboard leaves the terminal to a question, or to a program, until back is called.
func LendKeyboard() (back func()) {
	keyboard.Lock()
	defer keyboard.Unlock()
	keyboard.readers++
	restoreKeyboard()
	return func() {
		keyboard.Lock()
		defer keyboard.Unlock()
		keyboard.readers--
	}
}

// Foreground reports whether this process may use the terminal now; true for anything but a terminal.
func Foreground(terminal int) bool {
	group, err := unix.IoctlGetInt(terminal, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// Discard drops unread input of a terminal, and has it give lines and show them, as after a program that was killed.
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

// ownGroup has a program started in its own process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Interrupt asks a process to end in its own order, as Ctrl-C does.
func Interrupt(pid int) error { return syscall.Kill(pid, syscall.SIGINT) }

// readNow reads what a pipe holds, and does not wait; 0 if it holds nothing.
func readNow(pipe *os.File, into []byte) (n int) {
	if c, err := pipe.SyscallConn(); err == nil {
		_ = c.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), into)
			return true
		})
	}
	return n
}
