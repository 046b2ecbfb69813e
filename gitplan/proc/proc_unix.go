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

// keyboard is the terminal in a mode without echo and line editing, in which Key reads single keys; Ctrl-C and Ctrl-Z
// stay signals. While a question, a program or another process uses the terminal, it is in its former mode.
var keyboard struct {
	sync.Mutex
	terminal     int
	stops        chan os.Signal // the signals of Ctrl-Z; nil while the keyboard is closed
	readers      int            // the number of calls of LendKeyboard that are not yet undone
	on           bool           // the mode is ours
	before, ours unix.Termios   // the former mode, and ours
}

// keyPause is the time that Key waits for a key.
const keyPause = 100 * time.Millisecond

// OpenKeyboard opens the keyboard of a terminal, and reports whether the system has one. leave is called before Ctrl-Z
// gives the terminal to the shell, and the function that it returns afterwards.
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

// Key returns the pressed key, or 0 after keyPause. It returns 0 for pastes and for keys of several bytes.
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

// keysAreOurs reports whether this process may read keys now; if so it sets the terminal's mode.
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
	return *now == k.ours // another mode is set by a program that asks something
}

// restoreKeyboard restores the terminal's former mode, unless another program has changed the mode since.
func restoreKeyboard() {
	k := &keyboard
	if now, err := unix.IoctlGetTermios(k.terminal, getTermios); k.on && err == nil && *now == k.ours {
		signal.Ignore(syscall.SIGTTOU) // a shell such as dash may be in the foreground, and does not restore the mode
		_ = unix.IoctlSetTermios(k.terminal, setTermios, &k.before)
		signal.Reset(syscall.SIGTTOU)
	}
	k.on = false
}

// stopHere stops this process, as Ctrl-Z does, after it has restored the terminal.
func stopHere(stops chan os.Signal, leave func() (back func())) {
	defer leave()()
	defer LendKeyboard()()
	signal.Reset(syscall.SIGTSTP)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP)
	time.Sleep(keyPause) // the signal may not be delivered at once
	keyboard.Lock()
	defer keyboard.Unlock()
	if keyboard.stops == stops {
		signal.Notify(stops, syscall.SIGTSTP)
	}
}

// LendKeyboard restores the terminal for a question or a program until back is called.
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

// Discard drops unread input of a terminal, and restores echo and line editing, which a killed program may have left off.
func Discard(terminal int) {
	if t, err := unix.IoctlGetTermios(terminal, getTermios); err == nil {
		t.Lflag |= unix.ICANON | unix.ECHO
		_ = unix.IoctlSetTermios(terminal, setTermiosFlushing, t)
	}
}

// AwaitTyped waits until a typed line can be read, and reports false if the context ends first.
func AwaitTyped(ctx context.Context, terminal int) bool {
	for !Typed(terminal, 100*time.Millisecond) {
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}

// Typed reports whether a typed line can be read within the time soon.
func Typed(terminal int, soon time.Duration) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(terminal), Events: unix.POLLIN}}, int(soon.Milliseconds()))
	return err == nil && n > 0
}

// ownGroup returns attributes that start a program in its own process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Interrupt sends SIGINT to a process.
func Interrupt(pid int) error { return syscall.Kill(pid, syscall.SIGINT) }

// readNow reads from a pipe without waiting; it returns 0 if the pipe is empty.
func readNow(pipe *os.File, into []byte) (n int) {
	if c, err := pipe.SyscallConn(); err == nil {
		_ = c.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), into)
			return true
		})
	}
	return n
}
