package proc

import "os/exec"

// family is a program that was started, and what it started in turn as far as
// that is ended with it.
type family interface {
	interrupt() bool // asks to stop as Ctrl-C does; false if that cannot be done
	terminate()      // asks to end
	kill()           // ends it; when called once more, by force

	// over is for when the program has ended: nothing that it started, or that carries the
	// mark, stays. The error says why it was never started.
	over(mark string) error
}

// alone is a program that is ended without what it started.
type alone struct{ cmd *exec.Cmd }

func (a alone) interrupt() bool { return false }

func (a alone) terminate() { terminate(a.cmd.Process) }

func (a alone) kill() { _ = a.cmd.Process.Kill() }

func (a alone) over(string) error { return nil }
