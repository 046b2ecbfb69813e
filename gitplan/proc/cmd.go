package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// processTree is a started program, with the processes that end with it.
type processTree interface {
	interrupt() bool // interrupt sends SIGINT, and reports whether it could.
	terminate()      // terminate sends SIGTERM.
	kill()           // kill sends SIGKILL; the second call kills a supervisor, too.

	// finish ends the processes that an ended program left, or that have the mark. The error is that of the start.
	finish(mark string) error
}

// singleProcess is a program that is ended alone; its children stay.
type singleProcess struct{ cmd *exec.Cmd }

func (p singleProcess) interrupt() bool     { return false }
func (p singleProcess) finish(string) error { return nil }
func (p singleProcess) kill()               { _ = p.cmd.Process.Kill() }
func (p singleProcess) terminate() {
	if p.cmd.Process.Signal(syscall.SIGTERM) != nil { // Windows has none
		p.kill()
	}
}

// Cmd describes one program to run.
type Cmd struct {
	Name    string
	Args    []string
	Dir     string   // working directory; empty: the current one
	Outside bool     // ignore programs in the work tree, where a session may have written one of this name
	Env     []string // the complete environment; nil: this process's own

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Group gives the program a process group of its own: everything it starts ends with it. Programs
	// that need the person's terminal (editor, pager, git asking for a passphrase) must do without.
	Group bool
	// OwnProcessGroup protects a program that does not need the terminal from Ctrl-C: this process ends it in order.
	OwnProcessGroup bool
	// Confine bounds what the program can do to files; nil and Unconfined do not. If this is impossible, Run fails.
	Confine *Confinement
	// Timeout ends the program after this time. Zero means no limit.
	Timeout time.Duration
	// MaxOutput is the limit, in bytes, of both outputs together. Beyond it the program and its group are killed, and
	// Stderr gets a line that says so. Zero means 1 GiB for a group, and no limit without one.
	MaxOutput int64
	// Interrupt returns the time between SIGINT and SIGTERM, by the cause of the end. Without it SIGTERM comes first.
	Interrupt func(cause error) time.Duration
	// Ask, unless nil, asks the program to stop by its own protocol. If it returns false, SIGINT is sent.
	Ask func() bool
	// OnStart, unless nil, is called with the process id as soon as the program has started.
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

const (
	Grace            = time.Second            // the time between SIGTERM and SIGKILL: Ctrl-C promises two seconds in all
	drain            = 500 * time.Millisecond // the time to read an output that another process keeps open
	defaultMaxOutput = 1 << 30                // the default of MaxOutput for a group, in bytes
	DefaultTail      = 16 << 10               // the default size of a Tail, in bytes
)

// output copies a program's output to a writer, through a pipe of our own: os/exec closes its pipes after a fixed
// time, and loses what is still in them if this process was stopped for that long.
type output struct {
	ours, theirs *os.File
	target       io.Writer
	monitor      *monitor
	head         Head       // the beginning of the output, for the error of a sandbox
	copied       chan error // the result of the copy, once
}

// pipeOutputs gives cmd the writers of c, and one pipe for both if they are the same.
func pipeOutputs(cmd *exec.Cmd, c Cmd, m *monitor) (all []*output, err error) {
	pipe := func(w io.Writer) (io.Writer, error) {
		if _, isFile := w.(*os.File); w == nil || isFile && c.MaxOutput == 0 {
			return w, nil
		}
		o := &output{target: w, monitor: m, head: Head{Max: 4 << 10}, copied: make(chan error, 1)}
		if o.ours, o.theirs, err = os.Pipe(); err != nil {
			return nil, err
		}
		all = append(all, o)
		return o.theirs, nil
	}
	if cmd.Stdout, err = pipe(c.Stdout); err != nil {
		return all, err
	}
	if c.Stderr != nil && c.Stdout == c.Stderr { // all writers here are pointers, and so can be compared
		cmd.Stderr = cmd.Stdout
		return all, nil
	}
	cmd.Stderr, err = pipe(c.Stderr)
	return all, err
}

// start closes the program's end of the pipe here, and begins to copy.
func (o *output) start() {
	_ = o.theirs.Close()
	go func() {
		_, err := io.Copy(o, o.ours)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			_ = o.ours.Close() // the program gets SIGPIPE
		}
		o.copied <- err
	}()
}

// end copies the rest of an ended program's output, until a time if another process keeps the pipe open.
func (o *output) end(until time.Time) error {
	defer o.ours.Close()
	select {
	case err := <-o.copied:
		return err
	case <-time.After(time.Until(until)):
	}
	if err := o.ours.SetReadDeadline(time.Unix(1, 0)); err != nil {
		return nil // a system without deadlines: the pipe is closed
	}
	if err := <-o.copied; !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	// If the machine is busy, nothing may have been read in time. So copy what the pipe has, without waiting.
	err := o.ours.SetReadDeadline(time.Time{})
	chunk, n := make([]byte, 64<<10), 1
	for i := 0; i < 32 && n > 0 && err == nil; i++ { // a pipe holds less, unless another process goes on writing
		if n = readNow(o.ours, chunk); n > 0 {
			_, err = o.Write(chunk[:n])
		}
	}
	return err
}

// Write passes on output within the limit.
func (o *output) Write(p []byte) (int, error) {
	if m := o.monitor; m.limit > 0 && m.left.Add(-int64(len(p))) < 0 {
		m.end(errOverLimit)
		return 0, errOverLimit
	}
	_, _ = o.head.Write(p)
	return o.target.Write(p)
}

// close closes both ends of an output that was not started.
func (o *output) close() {
	_ = o.ours.Close()
	_ = o.theirs.Close()
}

// Causes for which this process ends a program, besides those of its context.
var (
	errTimedOut  = errors.New("it took longer than it may")
	errOverLimit = errors.New("it wrote more than the limit")
)

// monitor ends a program's context if it writes more than limit bytes; 0 means no limit.
type monitor struct {
	limit int64
	left  atomic.Int64 // the remaining bytes; negative beyond the limit
	end   context.CancelCauseFunc
}

// Tail keeps the first and the last part of its input, Size bytes in all (0: DefaultTail).
type Tail struct {
	Size int

	mu         sync.Mutex
	head, tail []byte // the tail is cut when it is twice as long as needed
	total      int64  // the length of the whole input, in bytes
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	half := t.half()
	k := min(half-len(t.head), len(p))
	t.head, t.total = append(t.head, p[:k]...), t.total+int64(len(p))
	if t.tail = append(t.tail, p[k:]...); len(t.tail) > 2*half {
		t.tail = append(t.tail[:0], t.tail[len(t.tail)-half:]...)
	}
	return len(p), nil
}

func (t *Tail) half() int { return cmp.Or(t.Size, DefaultTail) / 2 }

// colors matches the sequences of programs that colour their output even without a terminal, such as npx.
var colors = visible.NewPattern(`\x1b\[[0-9;:]*[mK]`)

// String returns the kept text as valid UTF-8, without colours, and with a line that counts the missing bytes.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	head, tail := string(t.head), string(t.tail[max(0, len(t.tail)-t.half()):])
	missing := t.total - int64(len(head)) - int64(len(tail))
	if missing > 0 {
		if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
			missing += int64(len(head) - i - 1)
			head = head[:i+1]
		}
		if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
			missing += int64(i + 1)
			tail = tail[i+1:]
		}
		head += fmt.Sprintf("\n[... %d bytes left out ...]\n", missing)
	}
	text := head + tail
	if strings.Contains(text, "\x1b[") {
		text = colors().ReplaceAllString(text, "")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Head keeps the first Max bytes of its input; Over says that there were more.
type Head struct {
	Max  int
	Text []byte
	Over bool
}

// Write never fails, so that no program is ended by its output.
func (h *Head) Write(p []byte) (int, error) {
	k := min(len(p), h.Max-len(h.Text))
	h.Text = append(h.Text, p[:k]...)
	h.Over = h.Over || k < len(p)
	return len(p), nil
}
