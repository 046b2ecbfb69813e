package proc

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// start starts a program. Windows ends no group without a job object: only the program itself is ended.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	if c.Confine != nil && c.Confine.By != Unconfined {
		return nil, errors.New("Windows has no sandbox")
	}
	return singleProcess{cmd}, cmd.Start()
}

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Interrupt fails: Windows has no signal for it.
func Interrupt(int) error { return errors.New("Windows has no signal for it: press Ctrl-C there") }

// readNow reads nothing: a pipe has no deadline there, and so was read to its end.
func readNow(*os.File, []byte) int { return 0 }

// StartTime returns "": it is not asked for.
func StartTime(int) string { return "" }

// Born returns "": it is not asked for.
func Born(string) string { return "" }

// Changed returns when the contents of a file were last changed: no other time is known here.
func Changed(info fs.FileInfo) time.Time { return info.ModTime() }

func processes() []int { return nil }

func environ(int) (env []byte, known bool) { return nil, true }

// Foreground reports whether this process may use the terminal now. Windows has no job control.
func Foreground(int) bool { return true }

// Discard does nothing: typed input stays to be read.
func Discard(int) {}

// AwaitTyped does not wait: reading does.
func AwaitTyped(context.Context, int) bool { return true }

// Typed reports false: what waits to be read is not known.
func Typed(int, time.Duration) bool { return false }

// OpenKeyboard returns false: the console gives lines.
func OpenKeyboard(int, func() (back func())) bool { return false }

// CloseKeyboard does nothing.
func CloseKeyboard() {}

// Key returns 0.
func Key() byte { return 0 }

// LendKeyboard does nothing.
func LendKeyboard() (back func()) { return func() {} }
