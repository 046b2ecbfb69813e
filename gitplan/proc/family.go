package proc

import "os/exec"

// family is a program that was started, together with whatever it starts that is ended
// with it.
type family interface {
	interrupt() bool // asks it to stop as Ctrl-C does; false if that cannot be done
	terminate()      // asks it to end
	kill()           // ends it; when called a second time, by force

	// over is called when the program has ended: nothing that it started, or that has the
	// mark, stays. The error says why the program was never started.
	over(mark string) error
}

// alone is a program that is ended by itself; what it started stays.
type alone struct{ cmd *exec.Cmd }

func (a alone) interrupt() bool { return false }

func (a alone) terminate() { terminate(a.cmd.Process) }

func (a alone) kill() { _ = a.cmd.Process.Kill() }

func (a alone) over(string) error { return nil }
