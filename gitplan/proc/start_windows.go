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

// Changed returns when the contents of a file were last changed: no other time is known here.
func Changed(info fs.FileInfo) time.Time { return info.ModTime() }

// This program does not ask Windows when a process or a file was created. A pipe has no deadline there, so it has been
// read to its end. There is no job control, and the console gives lines, not keys.

func StartTime(int) string                        { return "" }
func Born(string) string                          { return "" }
func processes() []int                            { return nil }
func environ(int) (env []byte, known bool)        { return nil, true }
func readNow(*os.File, []byte) int                { return 0 }
func Foreground(int) bool                         { return true }
func Discard(int)                                 {}
func AwaitTyped(context.Context, int) bool        { return true }
func Typed(int, time.Duration) bool               { return false }
func OpenKeyboard(int, func() (back func())) bool { return false }
func CloseKeyboard()                              {}
func Key() byte                                   { return 0 }
func LendKeyboard() (back func())                 { return func() {} }
