package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// drain is how long a grandchild may keep an output open after the program
// itself has ended.
const drain = 500 * time.Millisecond

// output brings what a program writes to a writer, by a pipe of our own. A pipe of
// os/exec is closed by the clock, with what is in it: where this process stood
// still for so long (a machine that was suspended, or had much else to do), that
// would be everything, and nobody would be told.
type output struct {
	ours, theirs *os.File
	to           io.Writer
	copied       chan error
}

// outputs gives cmd the writers of c, one pipe for both where they are one.
func outputs(cmd *exec.Cmd, c Cmd, life *idleTimer, flood *flood) (all []*output, err error) {
	pipe := func(w io.Writer) (io.Writer, error) {
		if _, isFile := w.(*os.File); w == nil || isFile && c.Idle == 0 && c.MaxOutput == 0 {
			return w, nil
		}
		o := &output{to: flood.watch(life.watch(w)), copied: make(chan error, 1)}
		if o.ours, o.theirs, err = os.Pipe(); err != nil {
			return nil, err
		}
		all = append(all, o)
		return o.theirs, nil
	}
	if cmd.Stdout, err = pipe(c.Stdout); err != nil {
		return all, err
	}
	if c.Stderr != nil && same(c.Stdout, c.Stderr) {
		cmd.Stderr = cmd.Stdout
		return all, nil
	}
	cmd.Stderr, err = pipe(c.Stderr)
	return all, err
}

// same reports whether two writers are one; those of a kind that cannot be compared
// are not.
func same(a, b io.Writer) (is bool) {
	defer func() { _ = recover() }()
	return a == b
}

// begin lets go of the program's end and copies.
func (o *output) begin() {
	_ = o.theirs.Close()
	go func() {
		_, err := io.Copy(o.to, o.ours)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			_ = o.ours.Close() // nobody takes it: the program is told by SIGPIPE
		}
		o.copied <- err
	}()
}

// end returns when all is written that the program wrote, which has ended. For
// what others write who have the pipe it waits until then.
func (o *output) end(until time.Time) error {
	defer o.ours.Close()
	select {
	case err := <-o.copied:
		return err
	case <-time.After(time.Until(until)):
	}
	if err := o.ours.SetReadDeadline(time.Unix(1, 0)); err != nil {
		return nil // a system without: the pipe is closed
	}
	err := <-o.copied
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return o.rest()
	}
	return err
}

// close closes both ends of what is not begun.
func (o *output) close() {
	_ = o.ours.Close()
	_ = o.theirs.Close()
}
