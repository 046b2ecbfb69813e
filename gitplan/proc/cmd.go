package proc

import (
	"io"
	"os/exec"
	"syscall"
	"time"
)

// processTree is a program that was started, with all processes that are ended with it.
type processTree interface {
	interrupt() bool // asks it to stop as Ctrl-C does; false if that cannot be done
	terminate()      // asks it to end
	kill()           // ends it; when called a second time, by force

	// finish is called when the program has ended: nothing that it started, or that has the
	// mark, stays. The error says why the program was never started.
	finish(mark string) error
}

// singleProcess is a program that is ended alone; its children stay.
type singleProcess struct{ cmd *exec.Cmd }

func (a singleProcess) interrupt() bool { return false }

func (a singleProcess) terminate() {
	if a.cmd.Process.Signal(syscall.SIGTERM) != nil { // Windows has none
		a.kill()
	}
}

func (a singleProcess) kill() { _ = a.cmd.Process.Kill() }

func (a singleProcess) finish(string) error { return nil }

// Cmd describes one program to run.
type Cmd struct {
	Name    string
	Args    []string
	Dir     string   // working directory; empty: the current one
	Outside bool     // start a program of this name that lies outside of the work tree, or none
	Env     []string // the complete environment; nil: this process's own

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Group gives the program a process group of its own: everything it starts ends with it. Programs
	// that need the person's terminal (editor, pager, git asking for a passphrase) must do without.
	Group bool
	// OwnProcessGroup keeps the terminal's Ctrl-C away from a program that must not be cut
	// short: this process ends in order instead. The program must not need the terminal.
	OwnProcessGroup bool
	// Confine bounds what the program can do to files, unless it is nil or Unconfined. What cannot be is not started.
	Confine *Confinement
	// Timeout ends the program after this time. Zero means no limit.
	Timeout time.Duration
	// MaxOutput ends the program, by SIGKILL and with its group, once it has written more bytes to both
	// outputs; Stderr then gets a line that says so. Zero means 1 GiB for a group, and no limit without one.
	MaxOutput int64
	// Interrupt has a group asked to stop with SIGINT first, and returns how long it is
	// given before SIGTERM, depending on why it is ended. Nil asks with SIGTERM at once.
	Interrupt func(cause error) time.Duration
	// Ask, if it is set, asks the program to stop in words of its own, in place of that SIGINT,
	// which is sent if it returns false.
	Ask func() bool
	// OnStart is called with the process id before anything is waited for. It may be nil.
	OnStart func(pid int)
}

// Exit is how a program ended.
type Exit struct {
	Code     int // exit code; 128+n when signal n ended it
	TimedOut bool
	Duration time.Duration
}

// OK reports whether the program ended by itself, with code 0.
func (e Exit) OK() bool { return e.Code == 0 && !e.TimedOut }

// Grace is how long a group may take to end after it was asked to (SIGTERM)
// before it is killed. Ctrl-C promises an end within two seconds.
const Grace = time.Second
